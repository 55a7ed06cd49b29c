# CUDA for kernels/ alone: switches the language on and makes shardlens_cudart, or neither. Sets
# SHARDLENS_WITH_CUDA, SHARDLENS_CUDA_SUMMARY, SHARDLENS_CUDA_TOOLKIT (where nvcc runs) and
# SHARDLENS_CUDART (also without nvcc: programs open it to look for GPUs).
#
# The runtime is the shared libcudart.so.13, the very one that libtorch_cpu loads; it needs no
# driver to load, so one program runs with and without a GPU.

set(SHARDLENS_WITH_CUDA OFF)
set(SHARDLENS_CUDA_SUMMARY "left out: SHARDLENS_CUDA is OFF")
set(SHARDLENS_CUDA_TOOLKIT "")
set(cudart libcudart.so.13)
if(SHARDLENS_GPU_ALONE)
  set(cudart libcudart.so) # the toolkit's own, whichever it is: no torch loads another
endif()

# An nvcc counts when it runs: a toolkit that was removed leaves names behind.
set(nvcc_runs 1)
if(NOT SHARDLENS_CUDA STREQUAL OFF)
  find_program(SHARDLENS_NVCC nvcc HINTS ENV CUDACXX PATHS /usr/local/cuda/bin NO_CACHE)
  if(SHARDLENS_NVCC)
    execute_process(COMMAND "${SHARDLENS_NVCC}" --version RESULT_VARIABLE nvcc_runs
                    OUTPUT_QUIET ERROR_QUIET)
    file(REAL_PATH "${SHARDLENS_NVCC}" SHARDLENS_CUDA_TOOLKIT)
    cmake_path(GET SHARDLENS_CUDA_TOOLKIT PARENT_PATH SHARDLENS_CUDA_TOOLKIT)
    cmake_path(GET SHARDLENS_CUDA_TOOLKIT PARENT_PATH SHARDLENS_CUDA_TOOLKIT)
  endif()
endif()

find_library(SHARDLENS_CUDART NAMES ${cudart} NO_CACHE NO_DEFAULT_PATH
             PATHS "${TorchWheel_NVIDIA}/cu13/lib" "${SHARDLENS_CUDA_TOOLKIT}/lib64"
                   "${SHARDLENS_CUDA_TOOLKIT}/lib"
                   "${SHARDLENS_CUDA_TOOLKIT}/targets/x86_64-linux/lib")
if(NOT SHARDLENS_CUDART)
  set(SHARDLENS_CUDART "")
endif()
if(SHARDLENS_CUDA STREQUAL OFF)
  return()
endif()

if(NOT nvcc_runs EQUAL 0)
  set(SHARDLENS_CUDA_SUMMARY "left out: no nvcc that runs")
elseif(NOT SHARDLENS_CUDART)
  set(SHARDLENS_CUDA_SUMMARY "left out: no ${cudart}")
else()
  set(SHARDLENS_WITH_CUDA ON)
endif()
if(NOT SHARDLENS_WITH_CUDA)
  if(SHARDLENS_CUDA STREQUAL ON)
    message(FATAL_ERROR "SHARDLENS_CUDA=ON, but ${SHARDLENS_CUDA_SUMMARY} "
                        "(nvcc: ${SHARDLENS_NVCC}, cudart: ${SHARDLENS_CUDART})")
  endif()
  return()
endif()

set(CMAKE_CUDA_COMPILER "${SHARDLENS_NVCC}")
# One architecture, because compile time grows with each: machine code for A100, and PTX that drivers
# translate for newer GPUs when a kernel is first loaded. "80;90" adds machine code for H100 and H200.
set(SHARDLENS_CUDA_ARCHITECTURES 80 CACHE STRING "GPU architectures of the kernels, as CMAKE_CUDA_ARCHITECTURES")
set(CMAKE_CUDA_ARCHITECTURES ${SHARDLENS_CUDA_ARCHITECTURES})
set(CMAKE_CUDA_STANDARD 20)
set(CMAKE_CUDA_RUNTIME_LIBRARY None)
enable_language(CUDA)
# nvcc 12 and newer compile C++20; CMake 3.25 is too old to know with which option.
if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)
  set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
  set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION -std=c++20)
endif()

add_library(shardlens_cudart SHARED IMPORTED)
set_target_properties(shardlens_cudart PROPERTIES IMPORTED_LOCATION "${SHARDLENS_CUDART}")
list(JOIN CMAKE_CUDA_ARCHITECTURES ", " architectures)
set(SHARDLENS_CUDA_SUMMARY "nvcc ${CMAKE_CUDA_COMPILER_VERSION} for sm_${architectures}")
