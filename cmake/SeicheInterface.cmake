# SPDX-License-Identifier: BSD-3-Clause
# Generates the interfaces of other languages from interface/*.api when CMake runs. CMake runs again when these change. A
# source archive (./dev archive) contains them in the folder generated, and is built without Python.
if(EXISTS ${PROJECT_SOURCE_DIR}/generated/interface)
  find_package(Python3 COMPONENTS Interpreter)  # for tests
  set(SEICHE_INTERFACE ${PROJECT_SOURCE_DIR}/generated/interface)
  return()
endif()
find_package(Python3 REQUIRED COMPONENTS Interpreter)
set(SEICHE_INTERFACE ${PROJECT_BINARY_DIR}/interface)  # include/seiche/c, c, fortran, interface
file(GLOB seiche_description CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/interface/*.api ${PROJECT_SOURCE_DIR}/interface/*.py
  ${PROJECT_SOURCE_DIR}/interface/*.hpp ${PROJECT_SOURCE_DIR}/tests/conformance/*.case)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${seiche_description})
execute_process(COMMAND ${Python3_EXECUTABLE} -B ${PROJECT_SOURCE_DIR}/interface/generate.py ${SEICHE_INTERFACE}
  COMMAND_ERROR_IS_FATAL ANY)
