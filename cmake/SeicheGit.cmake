# SPDX-License-Identifier: BSD-3-Clause
# The target seiche_git provides the header seiche_git.hpp, which names the commit. Every build updates it.
if(CMAKE_SCRIPT_MODE_FILE)
  cmake_minimum_required(VERSION 3.25)
  execute_process(COMMAND git describe --always --dirty --abbrev=10 WORKING_DIRECTORY ${SOURCE}
    OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(NOT commit)
    set(commit unknown)
  endif()
  file(CONFIGURE OUTPUT ${HEADER} CONTENT "#define SEICHE_GIT \"@commit@\"\n" @ONLY)
  return()
endif()

set(generated ${PROJECT_BINARY_DIR}/generated)
add_custom_target(seiche_git_header BYPRODUCTS ${generated}/seiche_git.hpp VERBATIM
  COMMAND ${CMAKE_COMMAND} -DSOURCE=${PROJECT_SOURCE_DIR} -DHEADER=${generated}/seiche_git.hpp
    -P ${CMAKE_CURRENT_LIST_FILE})
add_library(seiche_git INTERFACE)
add_dependencies(seiche_git seiche_git_header)
target_include_directories(seiche_git INTERFACE ${generated})
