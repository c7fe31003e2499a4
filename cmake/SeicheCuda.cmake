# SPDX-License-Identifier: BSD-3-Clause
# Compiles CUDA sources with nvcc. CUDA is not a language of the project: builds without it need no CUDA compiler.
# seiche_cuda_sizes(result FOLDER folder TABLE name KERNELS name SIZES sizes...): sets `result` to sources in `folder` that
# are made from TABLE.cpp.in, with the list @sizes@, and from KERNELS.cu.in for each size and precision. They compile in
# parallel.
function(seiche_cuda_sizes result)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "FOLDER;TABLE;KERNELS" "SIZES")
  list(JOIN arg_SIZES ", " sizes)
  configure_file(${arg_TABLE}.cpp.in ${arg_FOLDER}/${arg_TABLE}.cpp @ONLY)
  set(sources ${arg_FOLDER}/${arg_TABLE}.cpp)
  foreach(size IN LISTS arg_SIZES)
    foreach(real IN ITEMS float double)
      configure_file(${arg_KERNELS}.cu.in ${arg_FOLDER}/${arg_KERNELS}_${size}_${real}.cu @ONLY)
      list(APPEND sources ${arg_FOLDER}/${arg_KERNELS}_${size}_${real}.cu)
    endforeach()
  endforeach()
  set(${result} ${sources} PARENT_SCOPE)
endfunction()

option(SEICHE_CUDA "Build the module for CUDA devices (requires nvcc 12.8 or later)" OFF)
set(SEICHE_CUDA_ARCHITECTURES "80;90" CACHE STRING
  "Compute capabilities of CUDA devices; later devices compile the code of the last one when they start")
if(NOT SEICHE_CUDA)
  return()
endif()

# ./dev installs packages of PyPI in build/cuda-venv.
file(GLOB pypi_toolkits ${PROJECT_SOURCE_DIR}/build/cuda-venv/lib/python3*/site-packages/nvidia/cu1*)
find_program(SEICHE_NVCC nvcc HINTS ENV CUDA_HOME PATHS /usr/local/cuda ${pypi_toolkits} PATH_SUFFIXES bin)
if(NOT SEICHE_NVCC)
  message(FATAL_ERROR "SEICHE_CUDA needs nvcc: install the CUDA toolkit, or run ./dev test cuda, which installs it from "
    "PyPI, or set SEICHE_NVCC")
endif()
get_filename_component(cuda_toolkit ${SEICHE_NVCC} REALPATH)
get_filename_component(cuda_toolkit ${cuda_toolkit}/../.. ABSOLUTE)
# The runtime is static, so that the module needs only the driver.
find_library(SEICHE_CUDART cudart_static HINTS ${cuda_toolkit} PATH_SUFFIXES lib64 lib targets/${CMAKE_SYSTEM_PROCESSOR}-linux/lib
  REQUIRED)
find_program(SEICHE_CUOBJDUMP cuobjdump HINTS ${cuda_toolkit}/bin)  # for a test

# seiche_cuda_objects(result [INCLUDES folders...] SOURCES files...): sets `result` to objects compiled from the sources,
# which are paths relative to the current folder or absolute.
function(seiche_cuda_objects result)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "INCLUDES;SOURCES")
  set(flags -std=c++20 -O3 --expt-relaxed-constexpr -ccbin ${CMAKE_CXX_COMPILER} -Xcompiler -fPIC,-fvisibility=hidden)
  foreach(capability IN LISTS SEICHE_CUDA_ARCHITECTURES)
    list(APPEND flags -gencode arch=compute_${capability},code=sm_${capability})
  endforeach()
  list(GET SEICHE_CUDA_ARCHITECTURES -1 last)
  list(APPEND flags -gencode arch=compute_${last},code=compute_${last})
  list(TRANSFORM arg_INCLUDES PREPEND -I)
  set(objects)
  foreach(source IN LISTS arg_SOURCES)
    get_filename_component(name ${source} NAME)
    get_filename_component(source ${source} ABSOLUTE)
    set(object ${CMAKE_CURRENT_BINARY_DIR}/nvcc/${name}.o)
    add_custom_command(OUTPUT ${object} DEPENDS ${source} DEPFILE ${object}.d
      COMMAND ${CMAKE_CXX_COMPILER_LAUNCHER} ${SEICHE_NVCC} ${flags} -I${PROJECT_SOURCE_DIR}/src -I${PROJECT_SOURCE_DIR}/include
        ${arg_INCLUDES} -MD -MF ${object}.d -c ${source} -o ${object}
      COMMENT "Compiling ${name} with nvcc" VERBATIM)
    list(APPEND objects ${object})
  endforeach()
  set_source_files_properties(${objects} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
  file(MAKE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/nvcc)
  set(${result} ${objects} PARENT_SCOPE)
endfunction()
