# SPDX-License-Identifier: BSD-3-Clause
# seiche_add_test(NAME fft SOURCES fft_test.cpp RANKS 1 2 3 [LIBRARIES ...] [LABELS ...])
# One executable, and one ctest entry "fft.N" for each number of ranks N: too few ranks is a failure, never a skip. Times
# out late: a slow machine is no fault.

# Settings under which more ranks than cores, and root in a container, are no trouble, Open MPI does not look for networks
# that are not there, half of a short test's time, and mpiexec does not wait a second for each process that has ended with
# an error.
set(SEICHE_TEST_ENVIRONMENT
  OMP_NUM_THREADS=1 OMP_WAIT_POLICY=passive
  OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
  OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_hwloc_base_binding_policy=none
  OMPI_MCA_btl_vader_single_copy_mechanism=none OMPI_MCA_pml=ob1 OMPI_MCA_odls_base_sigkill_timeout=0 SEICHE_TUNING=none
  PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe PRTE_MCA_hwloc_default_binding_policy=none)
if(MPIEXEC_EXECUTABLE MATCHES "mpich")
  list(APPEND SEICHE_TEST_ENVIRONMENT LD_PRELOAD=$<TARGET_FILE:seiche_yield>)
endif()
# Open MPI's launchers share one folder, which the last of them removes: two at once may fail unless something lies in it.
set(keep_folder ${CMAKE_CURRENT_BINARY_DIR}/keep_folder.cmake)
file(WRITE ${keep_folder} [[
execute_process(COMMAND sh -c "mkdir -p \"\${TMPDIR:-/tmp}/ompi.$(uname -n | cut -d. -f1).$(id -u)/kept\"")
]])
set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${keep_folder})
if(SEICHE_SANITIZE)
  # MPI libraries keep memory until the process ends; what the sanitizers say about our own code is fatal.
  list(APPEND SEICHE_TEST_ENVIRONMENT
    "LSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/tests/support/leaks.supp:print_suppressions=0"
    "UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1"
    "TSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/tests/support/races.supp:ignore_noninstrumented_modules=1")
endif()
if(SEICHE_SANITIZE STREQUAL thread)
  # It tells ThreadSanitizer what OpenMP's threads wait for; without it each parallel loop looks like a race.
  file(GLOB archer_folders /usr/lib/llvm-*/lib)
  find_library(SEICHE_ARCHER archer PATHS ${archer_folders} REQUIRED)
  list(APPEND SEICHE_TEST_ENVIRONMENT OMP_TOOL_LIBRARIES=${SEICHE_ARCHER})
endif()

# seiche_run(variable ranks command...): the command line that runs `command` on so many ranks.
function(seiche_run variable ranks)
  set(${variable} ${MPIEXEC_EXECUTABLE} ${MPIEXEC_NUMPROC_FLAG} ${ranks} ${MPIEXEC_PREFLAGS} ${ARGN}
    ${MPIEXEC_POSTFLAGS} PARENT_SCOPE)
endfunction()

function(seiche_add_test)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME" "SOURCES;RANKS;LIBRARIES;LABELS")
  if(arg_UNPARSED_ARGUMENTS OR NOT arg_NAME OR NOT arg_SOURCES OR NOT arg_RANKS)
    message(FATAL_ERROR "seiche_add_test needs NAME, SOURCES and RANKS, and knows no '${arg_UNPARSED_ARGUMENTS}'")
  endif()
  if(NOT SEICHE_FILES AND arg_SOURCES MATCHES "(crystal|orbitals|density|files)/")
    return()  # rooms of the library that is not built
  endif()
  add_executable(${arg_NAME}_test ${arg_SOURCES})
  target_link_libraries(${arg_NAME}_test PRIVATE seiche_test_support ${arg_LIBRARIES})
  foreach(ranks IN LISTS arg_RANKS)
    seiche_run(command ${ranks} $<TARGET_FILE:${arg_NAME}_test> --ranks=${ranks})
    add_test(NAME ${arg_NAME}.${ranks} COMMAND ${command} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}/tests)
    set_tests_properties(${arg_NAME}.${ranks} PROPERTIES PROCESSORS ${ranks} TIMEOUT 600
      LABELS "${arg_NAME};ranks${ranks};${arg_LABELS}" ENVIRONMENT "${SEICHE_TEST_ENVIRONMENT}")
  endforeach()
endfunction()
