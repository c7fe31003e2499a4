# SPDX-License-Identifier: BSD-3-Clause
# Files for pkg-config, for programs that are compiled with mpicc, mpicxx or mpifort. The compiler wrapper adds the flags of
# MPI. The files are relocatable. With static libraries, Libs also lists their dependencies. Libraries that were not built
# get no file. The files of the Fortran interface have the variable fmoddir: the directory of the compiled modules.

# seiche_pkg_config(name description requires flags libraries...)
function(seiche_pkg_config NAME DESCRIPTION REQUIRES FLAGS)
  file(RELATIVE_PATH UP ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
  set(LIBRARIES "")
  if(NOT BUILD_SHARED_LIBS)
    if(NAME STREQUAL seiche)  # modules that it loads at run time
      set(LIBRARIES " -Wl,-rpath,\${libdir}/seiche")
    endif()
    foreach(library IN LISTS ARGN)
      if(library MATCHES "^/(.*/)?lib([^/]*)\\.(so|a|dylib)$" OR NOT library MATCHES "^/")
        string(APPEND LIBRARIES " ${library}")
      endif()
    endforeach()
  endif()
  set(VARIABLES "")
  if(NAME MATCHES fortran)
    set(VARIABLES "fmoddir=\${prefix}/${SEICHE_FORTRAN_MODULES}\n")
  endif()
  configure_file(${PROJECT_SOURCE_DIR}/cmake/seiche.pc.in ${PROJECT_BINARY_DIR}/pkgconfig/${NAME}.pc @ONLY)
  set(folder "\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}/pkgconfig")
  if(IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}")
    set(folder "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
  endif()
  install(CODE "
    if(EXISTS \"$<TARGET_FILE:${NAME}>\")
      file(INSTALL \"${PROJECT_BINARY_DIR}/pkgconfig/${NAME}.pc\" DESTINATION \"${folder}\")
    endif()" COMPONENT development)
endfunction()

set(core_libraries ${OpenMP_CXX_LIBRARIES} -lstdc++ -lm -ldl -lrt -lpthread)
seiche_pkg_config(seiche "Distributed FFTs, exact exchange and redistribution over MPI" "" "-I\${includedir}" ${core_libraries})
if(SEICHE_BLOCKSPARSE)
  seiche_pkg_config(seiche_blocksparse "Block-sparse products and density matrices" seiche "" ${SEICHE_XSMM} ${BLAS_LIBRARIES}
    ${core_libraries})
endif()
if(SEICHE_FILES)
  seiche_pkg_config(seiche_files "Wavefunction files, orbitals and densities" seiche "" -lpugixml ${HDF5_C_LIBRARIES}
    ${PNG_LIBRARIES} ${LAPACKE_LIBRARY} ${BLAS_LIBRARIES} ${SPGLIB_LIBRARY} ${core_libraries})
endif()
if(SEICHE_FORTRAN)
  set(contained seiche)
  if(SEICHE_BLOCKSPARSE)
    set(contained seiche_blocksparse)
  endif()
  seiche_pkg_config(seiche_fortran "Fortran interface of Seiche" ${contained} "-I\${fmoddir}")
  if(SEICHE_FILES)
    seiche_pkg_config(seiche_fortran_files "Fortran interface of seiche_files" "seiche_fortran seiche_files" "")
  endif()
endif()
