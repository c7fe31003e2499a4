# SPDX-License-Identifier: BSD-3-Clause
# Entries of two test suites. `ctest` runs the short one; `ctest -C long` runs both. A test with too few ranks fails; it is
# never skipped. Timeouts are generous, so that tests pass on slow machines.

# These settings allow more ranks than cores, and root. They stop Open MPI from looking for networks, which takes half of
# the time of a short test, and mpiexec from waiting one second for each process that ends with an error.
set(SEICHE_TEST_ENVIRONMENT
  OMP_NUM_THREADS=1 OMP_WAIT_POLICY=passive
  OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
  OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_hwloc_base_binding_policy=none
  OMPI_MCA_btl_vader_single_copy_mechanism=none OMPI_MCA_pml=ob1 OMPI_MCA_odls_base_sigkill_timeout=0 SEICHE_TUNING=none
  PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe PRTE_MCA_hwloc_default_binding_policy=none)
list(APPEND SEICHE_TEST_ENVIRONMENT SEICHE_CUDA=${PROJECT_BINARY_DIR}/cuda_emulated)  # tests of devices
if(MPIEXEC_EXECUTABLE MATCHES "mpich")
  list(APPEND SEICHE_TEST_ENVIRONMENT LD_PRELOAD=$<TARGET_FILE:seiche_yield>)
endif()
# The launchers of Open MPI share a folder, which the last one removes. Two at once may fail unless the folder has content.
set(keep_folder ${CMAKE_CURRENT_BINARY_DIR}/keep_folder.cmake)
file(WRITE ${keep_folder} [[
execute_process(COMMAND sh -c "mkdir -p \"\${TMPDIR:-/tmp}/ompi.$(uname -n | cut -d. -f1).$(id -u)/kept\"")
]])
set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${keep_folder})
if(SEICHE_SANITIZE)
  # Leaks inside MPI libraries are suppressed. Errors in the code of Seiche are fatal.
  list(APPEND SEICHE_TEST_ENVIRONMENT
    "LSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/tests/support/leaks.supp:print_suppressions=0"
    "UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1"
    "TSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/tests/support/races.supp:ignore_noninstrumented_modules=1")
endif()
if(SEICHE_SANITIZE STREQUAL thread)
  # Archer reports the synchronisation of OpenMP to ThreadSanitizer, which otherwise sees races in all parallel loops.
  file(GLOB archer_folders /usr/lib/llvm-*/lib)
  find_library(SEICHE_ARCHER archer PATHS ${archer_folders} REQUIRED)
  list(APPEND SEICHE_TEST_ENVIRONMENT OMP_TOOL_LIBRARIES=${SEICHE_ARCHER})
endif()

# seiche_run(variable ranks command...): sets the variable to a command line that runs `command` on `ranks` ranks.
function(seiche_run variable ranks)
  set(${variable} ${MPIEXEC_EXECUTABLE} ${MPIEXEC_NUMPROC_FLAG} ${ranks} ${MPIEXEC_PREFLAGS} ${ARGN}
    ${MPIEXEC_POSTFLAGS} PARENT_SCOPE)
endfunction()

# seiche_add_entry(NAME name RANKS n COMMAND command... [LABELS ...] [ENVIRONMENT ...] [LONG] [PROPERTIES ...]): adds a
# command that starts its own ranks.
function(seiche_add_entry)
  cmake_parse_arguments(PARSE_ARGV 0 arg "LONG" "NAME;RANKS" "COMMAND;LABELS;ENVIRONMENT;PROPERTIES")
  if(arg_UNPARSED_ARGUMENTS OR NOT arg_NAME OR NOT arg_RANKS OR NOT arg_COMMAND)
    message(FATAL_ERROR "seiche_add_entry needs NAME, RANKS and COMMAND, and does not know '${arg_UNPARSED_ARGUMENTS}'")
  endif()
  set(suite)
  if(arg_LONG)
    set(suite CONFIGURATIONS long)
    list(APPEND arg_LABELS long)
    list(APPEND arg_ENVIRONMENT SEICHE_LONG=1)
  endif()
  add_test(NAME ${arg_NAME} ${suite} COMMAND ${arg_COMMAND} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}/tests)
  set_tests_properties(${arg_NAME} PROPERTIES PROCESSORS ${arg_RANKS} TIMEOUT 1800 LABELS "${arg_LABELS};ranks${arg_RANKS}"
    ENVIRONMENT "${SEICHE_TEST_ENVIRONMENT};${arg_ENVIRONMENT}" ${arg_PROPERTIES})
endfunction()

# seiche_add_entries(NAME name RANKS 1 3 [LONG_RANKS 2 4] COMMAND command... [LABELS ...] [ENVIRONMENT ...]): runs the
# command on each number of ranks, "name.N" in the short suite and "name.long.N" in the long one.
function(seiche_add_entries)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME" "RANKS;LONG_RANKS;COMMAND;LABELS;ENVIRONMENT;PROPERTIES")
  foreach(suite IN ITEMS "" LONG)
    string(REPLACE LONG long. dot "${suite}")
    set(all_ranks ${arg_RANKS})
    if(suite)
      list(APPEND all_ranks ${arg_LONG_RANKS})
    endif()
    foreach(ranks IN LISTS all_ranks)
      seiche_run(command ${ranks} ${arg_COMMAND})
      string(REPLACE @RANKS@ ${ranks} command "${command}")
      seiche_add_entry(NAME ${arg_NAME}.${dot}${ranks} RANKS ${ranks} ${suite} COMMAND ${command} LABELS ${arg_LABELS}
        ENVIRONMENT ${arg_ENVIRONMENT} PROPERTIES ${arg_PROPERTIES})
    endforeach()
  endforeach()
endfunction()

# seiche_add_sweep(name LABEL ... COMMAND ... [ENVIRONMENT ...]): a sweep of arguments, see tests/sweep. If it fails, each rank
# tells its last case.
function(seiche_add_sweep name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "LABEL" "ENVIRONMENT;COMMAND")
  foreach(entry IN ITEMS "1" "3" "long.2")
    set(suite)
    if(entry MATCHES long)
      set(suite LONG)
    endif()
    string(REGEX MATCH "[0-9]+" ranks ${entry})
    seiche_run(command ${ranks} ${arg_COMMAND})
    seiche_add_entry(NAME ${name}.${entry} RANKS ${ranks} ${suite} LABELS ${arg_LABEL} ENVIRONMENT ${arg_ENVIRONMENT}
      COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/sweep/run.py ${command} PROPERTIES SKIP_RETURN_CODE 77)
  endforeach()
endfunction()

# seiche_module(module targets...): `./dev test MODULE` builds these targets and runs the entries with that label.
function(seiche_module module)
  if(NOT TARGET test_${module})
    add_custom_target(test_${module})
  endif()
  add_dependencies(test_${module} ${ARGN})
endfunction()

# All test programs share the precompiled headers of the first one.
function(seiche_test_headers target)
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>)  # for ccache
  get_property(first GLOBAL PROPERTY SEICHE_TEST_HEADERS)
  if(first)
    target_precompile_headers(${target} REUSE_FROM ${first})
  else()
    set_property(GLOBAL PROPERTY SEICHE_TEST_HEADERS ${target})
    target_precompile_headers(${target} PRIVATE <algorithm> <array> <cmath> <complex> <cstdint> <filesystem> <fstream>
      <functional> <map> <memory> <numeric> <optional> <random> <set> <span> <sstream> <string> <vector> <mpi.h>
      <fmt/format.h> <gtest/gtest.h>)
  endif()
endfunction()

# seiche_add_test(NAME fft SOURCES dense_test.cpp ... RANKS 1 3 [LONG_RANKS 2 4] [LIBRARIES ...] [LABELS modules...]
# [ARGUMENTS ...] [ENVIRONMENT ...]): adds a GoogleTest program. It skips sources in folders of a library that is not built.
function(seiche_add_test)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME" "SOURCES;RANKS;LONG_RANKS;LIBRARIES;LABELS;ARGUMENTS;ENVIRONMENT")
  if(arg_UNPARSED_ARGUMENTS OR NOT arg_NAME OR NOT arg_SOURCES)
    message(FATAL_ERROR "seiche_add_test needs NAME, SOURCES and RANKS, and does not know '${arg_UNPARSED_ARGUMENTS}'")
  endif()
  if(NOT SEICHE_FILES)
    list(FILTER arg_SOURCES EXCLUDE REGEX "^(crystal|orbitals|density|files)/")
  endif()
  if(NOT SEICHE_BLOCKSPARSE)
    list(FILTER arg_SOURCES EXCLUDE REGEX "^blocksparse/")
  endif()
  if(NOT arg_SOURCES)
    return()
  endif()
  list(APPEND arg_LABELS ${arg_NAME})
  list(REMOVE_DUPLICATES arg_LABELS)
  add_executable(${arg_NAME}_test ${arg_SOURCES})
  target_link_libraries(${arg_NAME}_test PRIVATE seiche_test_support ${arg_LIBRARIES})
  seiche_optimize(${arg_NAME}_test -O1)
  seiche_test_headers(${arg_NAME}_test)
  seiche_add_entries(NAME ${arg_NAME} COMMAND $<TARGET_FILE:${arg_NAME}_test> --ranks=@RANKS@ ${arg_ARGUMENTS} RANKS ${arg_RANKS}
    LONG_RANKS ${arg_LONG_RANKS} LABELS ${arg_LABELS} ENVIRONMENT ${arg_ENVIRONMENT})
  foreach(module IN LISTS arg_LABELS)
    seiche_module(${module} ${arg_NAME}_test)
  endforeach()
endfunction()
