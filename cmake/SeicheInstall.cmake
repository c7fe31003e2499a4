# SPDX-License-Identifier: BSD-3-Clause
# The install rules, and the package for find_package(seiche). There are three components: `command`, `development` (the
# libraries, headers, Fortran modules and package files), and `cuda` (the module for devices). The libraries and the command
# must have been built. The rules skip everything else that was not built.
include(CMakePackageConfigHelpers)

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/seiche)
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME development)
configure_package_config_file(cmake/seicheConfig.cmake.in ${PROJECT_BINARY_DIR}/seicheConfig.cmake
  INSTALL_DESTINATION ${package} PATH_VARS CMAKE_INSTALL_LIBDIR CMAKE_INSTALL_DATADIR)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/seicheConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(TARGETS seiche EXPORT seicheTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(SEICHE_BLOCKSPARSE)
  install(TARGETS seiche_blocksparse EXPORT seicheBlocksparseTargets
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(EXPORT seicheBlocksparseTargets NAMESPACE seiche:: DESTINATION ${package})
endif()
if(SEICHE_FILES)
  install(TARGETS seiche_files EXPORT seicheFilesTargets
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(EXPORT seicheFilesTargets NAMESPACE seiche:: DESTINATION ${package})
endif()
if(SEICHE_FORTRAN)
  install(TARGETS seiche_fortran EXPORT seicheFortranTargets
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} OPTIONAL LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} OPTIONAL)
  install(EXPORT seicheFortranTargets NAMESPACE seiche:: DESTINATION ${package})
  if(SEICHE_FILES)
    install(TARGETS seiche_fortran_files EXPORT seicheFortranFilesTargets
      ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} OPTIONAL LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} OPTIONAL)
    install(EXPORT seicheFortranFilesTargets NAMESPACE seiche:: DESTINATION ${package})
  endif()
  install(DIRECTORY ${PROJECT_BINARY_DIR}/fortran/modules/ DESTINATION ${SEICHE_FORTRAN_MODULES} OPTIONAL)
endif()
include(SeichePkgConfig)
install(DIRECTORY include/ ${SEICHE_INTERFACE}/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT seicheTargets NAMESPACE seiche:: DESTINATION ${package})
install(FILES ${PROJECT_BINARY_DIR}/seicheConfig.cmake ${PROJECT_BINARY_DIR}/seicheConfigVersion.cmake
  cmake/seicheFortranSources.cmake DESTINATION ${package})

# Each component brings its licence, under the name that Debian requires of packages. The command contains uPlot.
install(FILES LICENSE README.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/doc/libseiche-dev RENAME copyright)
if(SEICHE_TOOLS)
  install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT command RENAME copyright)
  install(FILES companions/profile/page/third_party/uPlot/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT command
    RENAME uPlot.copyright)
endif()
if(PROJECT_IS_TOP_LEVEL)
  include(SeichePackage)
endif()
