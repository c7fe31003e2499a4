# SPDX-License-Identifier: BSD-3-Clause
# Groups of source files for unity builds. A group is a folder of sources with one purpose. With SEICHE_UNITY the compiler
# reads the files of a group together, and parses each header once per group instead of once per file.

# seiche_room(target group files...): adds the files to the target.
function(seiche_room target room)
  target_sources(${target} PRIVATE ${ARGN})
  set_source_files_properties(${ARGN} PROPERTIES UNITY_GROUP ${target}_${room})
endfunction()

# seiche_rooms(target): compiles each group of the target as one file.
function(seiche_rooms target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${SEICHE_UNITY} UNITY_BUILD_MODE GROUP)
  if(SEICHE_UNITY)  # GCC treats the files as headers then, and warns about anonymous namespaces
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-subobject-linkage>)
  endif()
endfunction()

# seiche_optimize(target level): sets the optimisation level of release builds, for code whose speed does not matter. Flags of
# release builds that the user set are not changed.
function(seiche_optimize target level)
  if(CMAKE_CXX_FLAGS_RELEASE STREQUAL "-O3 -DNDEBUG")
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:${level}>)
  endif()
endfunction()
