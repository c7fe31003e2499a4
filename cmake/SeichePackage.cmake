# SPDX-License-Identifier: BSD-3-Clause
# Debian packages by CPack (`./dev package`): seiche has the command, libseiche-dev the libraries, headers, Fortran modules
# and package files, seiche-cuda the module for CUDA devices. Who distributes them sets -DSEICHE_PACKAGE_CONTACT="Name <address>".
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME seiche)
set(CPACK_PACKAGE_VENDOR "Seiche")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "FFTs, wavefunction files and block-sparse products over MPI")
set(SEICHE_PACKAGE_CONTACT "The Seiche authors" CACHE STRING "Maintainer of the Debian packages: Name <address>")
set(CPACK_PACKAGE_CONTACT "${SEICHE_PACKAGE_CONTACT}")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/SeicheDebian.cmake)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_COMPONENTS_ALL command development)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)

set(CPACK_DEBIAN_COMMAND_PACKAGE_NAME seiche)
set(CPACK_COMPONENT_COMMAND_DESCRIPTION "wavefunction files, densities and FFTs over MPI
 Reads, converts, expands and compares wavefunctions of Quantum ESPRESSO, VASP,
 CASTEP, ABINIT and BerkeleyGW in parallel, and sums their densities.")
set(CPACK_DEBIAN_COMMAND_PACKAGE_DEPENDS "libfftw3-double3, libfftw3-single3")  # loaded at run time

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libseiche-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION "FFTs and block-sparse products over MPI (development files)
 Static libraries, C and C++ headers, Fortran modules, and files for CMake and
 pkg-config.")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "libfftw3-double3, libfftw3-single3, libopenmpi-dev, libopenblas-serial-dev, libxsmm-dev, \
libhdf5-dev, libpugixml-dev, libpng-dev, libsymspg-dev, liblapacke-dev")
if(SEICHE_FORTRAN AND CMAKE_Fortran_COMPILER_ID STREQUAL GNU AND CMAKE_Fortran_COMPILER_VERSION VERSION_LESS 15)
  string(APPEND CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS ", gfortran | gfortran-mod-15")  # the format of its modules
endif()

if(SEICHE_CUDA)
  list(APPEND CPACK_COMPONENTS_ALL cuda)
  set(CPACK_DEBIAN_CUDA_PACKAGE_NAME seiche-cuda)
  set(CPACK_COMPONENT_CUDA_DESCRIPTION "FFTs of plane waves on CUDA devices
 Module that the command seiche and programs with Seiche load. It contains the
 CUDA runtime, and needs the driver of the device.")
  set(CPACK_DEBIAN_CUDA_PACKAGE_ENHANCES "seiche, libseiche-dev")
endif()
include(CPack)
