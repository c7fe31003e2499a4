# SPDX-License-Identifier: BSD-3-Clause
# Targets that compile headers with `root` as their only include directory. The long suite builds them.
function(seiche_headers_target target root)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "" "SOURCES;LIBRARIES;INCLUDES;EXCLUDED")
  add_library(${target} OBJECT ${arg_EXCLUDED} ${arg_SOURCES})
  target_compile_options(${target} PRIVATE -O0)
  target_include_directories(${target} PRIVATE ${root} ${arg_INCLUDES})
  target_link_libraries(${target} PRIVATE seiche_flags ${arg_LIBRARIES})
endfunction()

# seiche_headers_alone(target root [LIBRARIES ...] [INCLUDES ...]): compiles each header alone, included
# twice.
function(seiche_headers_alone target root)
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS RELATIVE ${root} ${root}/*.hpp)
  set(sources)
  foreach(header IN LISTS headers)
    string(MAKE_C_IDENTIFIER ${header} name)
    set(source ${CMAKE_CURRENT_BINARY_DIR}/${target}/${name}.cpp)
    file(CONFIGURE OUTPUT ${source} CONTENT "#include \"@header@\"\n#include \"@header@\"\n" @ONLY)
    list(APPEND sources ${source})
  endforeach()
  seiche_headers_target(${target} ${root} SOURCES ${sources} EXCLUDED EXCLUDE_FROM_ALL ${ARGN})
  add_test(NAME house.${target} CONFIGURATIONS long COMMAND ${CMAKE_COMMAND} --build ${PROJECT_BINARY_DIR} --target ${target})
  set_tests_properties(house.${target} PROPERTIES TIMEOUT 1800 LABELS long)
endfunction()

# seiche_headers_together(target root [LIBRARIES ...]): includes all headers in one file, to
# detect conflicting names.
function(seiche_headers_together target root)
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS RELATIVE ${root} ${root}/*.hpp)
  list(TRANSFORM headers REPLACE "(.+)" "#include \"\\1\"\n")
  string(JOIN "" all ${headers})
  set(source ${CMAKE_CURRENT_BINARY_DIR}/${target}/together.cpp)
  file(CONFIGURE OUTPUT ${source} CONTENT "@all@" @ONLY)
  seiche_headers_target(${target} ${root} SOURCES ${source} ${ARGN})
endfunction()
