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

# seiche_device_objects(result COMPILER name COMMAND command... SOURCES files...): sets `result` to objects that the command
# compiles from the sources, which are paths relative to the current folder or absolute. They are in the folder `name`.
function(seiche_device_objects result)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "COMPILER" "COMMAND;SOURCES")
  set(objects)
  foreach(source IN LISTS arg_SOURCES)
    get_filename_component(name ${source} NAME)
    get_filename_component(source ${source} ABSOLUTE)
    set(object ${CMAKE_CURRENT_BINARY_DIR}/${arg_COMPILER}/${name}.o)
    add_custom_command(OUTPUT ${object} DEPENDS ${source} DEPFILE ${object}.d
      COMMAND ${arg_COMMAND} -I${PROJECT_SOURCE_DIR}/src -I${PROJECT_SOURCE_DIR}/include -MD -MF ${object}.d -c ${source} -o ${object}
      COMMENT "Compiling ${name} with ${arg_COMPILER}" VERBATIM)
    list(APPEND objects ${object})
  endforeach()
  set_source_files_properties(${objects} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
  file(MAKE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/${arg_COMPILER})
  set(${result} ${objects} PARENT_SCOPE)
endfunction()

# The module for AMD devices has the same sources. No test runs it.
option(SEICHE_HIP "Build the module for AMD devices, which is untested (requires hipcc)" OFF)
set(SEICHE_HIP_ARCHITECTURES "gfx90a" CACHE STRING "Architectures of AMD devices")
if(SEICHE_HIP)
  find_program(SEICHE_HIPCC hipcc)
  if(NOT SEICHE_HIPCC)
    message(FATAL_ERROR "SEICHE_HIP needs hipcc: install the package hipcc, or set SEICHE_HIPCC")
  endif()
  # Not --offload-arch: hipcc would then also look for devices, and print errors on machines without.
  list(JOIN SEICHE_HIP_ARCHITECTURES "," hip_architectures)
  set(seiche_hip ${CMAKE_COMMAND} -E env HCC_AMDGPU_TARGET=${hip_architectures} ${SEICHE_HIPCC})
endif()

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
file(GLOB pypi_licences ${cuda_toolkit}/../../nvidia_cuda_runtime-*.dist-info/licenses)
find_file(SEICHE_CUDA_LICENSE NAMES EULA.txt License.txt HINTS ${cuda_toolkit} ${pypi_licences} NO_DEFAULT_PATH)
find_program(SEICHE_CUOBJDUMP cuobjdump HINTS ${cuda_toolkit}/bin)  # for a test

# seiche_cuda_objects(result [INCLUDES folders...] SOURCES files...): seiche_device_objects() with nvcc.
function(seiche_cuda_objects result)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "INCLUDES;SOURCES")
  set(flags -std=c++20 -O3 --compress-mode=size --expt-relaxed-constexpr -ccbin ${CMAKE_CXX_COMPILER} -Xcompiler -fPIC,-fvisibility=hidden)
  foreach(capability IN LISTS SEICHE_CUDA_ARCHITECTURES)
    list(APPEND flags -gencode arch=compute_${capability},code=sm_${capability})
  endforeach()
  list(GET SEICHE_CUDA_ARCHITECTURES -1 last)
  list(APPEND flags -gencode arch=compute_${last},code=compute_${last})
  list(TRANSFORM arg_INCLUDES PREPEND -I)
  seiche_device_objects(objects COMPILER nvcc COMMAND ${CMAKE_CXX_COMPILER_LAUNCHER} ${SEICHE_NVCC} ${flags} ${arg_INCLUDES}
    SOURCES ${arg_SOURCES})
  set(${result} ${objects} PARENT_SCOPE)
endfunction()
