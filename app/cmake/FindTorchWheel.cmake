# The PyTorch wheel as the imported target TorchWheel::torch: libtorch_cpu, libc10 and headers.
#
# torch's own package file requires a CUDA toolkit and changes CMAKE_CUDA_FLAGS globally. This one
# reads only headers and file names. Sets TorchWheel_VERSION, TorchWheel_ROOT (the torch
# folder), TorchWheel_NVIDIA (the nvidia wheels beside it) and TorchWheel_PYTHON (the python it
# belongs to; empty when SHARDLENS_TORCH named a folder).

set(accepted_versions 2.11 2.15)

include(torch_of_python)

if(NOT SHARDLENS_TORCH)
  set(TorchWheel_PYTHON "${PROJECT_SOURCE_DIR}/.venv/bin/python3")
  file(GLOB TorchWheel_ROOT "${PROJECT_SOURCE_DIR}/.venv/lib/python3*/site-packages/torch")
elseif(IS_DIRECTORY "${SHARDLENS_TORCH}")
  set(TorchWheel_PYTHON "")
  file(REAL_PATH "${SHARDLENS_TORCH}" TorchWheel_ROOT)
else()
  find_program(python_with_torch NAMES "${SHARDLENS_TORCH}" NO_CACHE)
  set(TorchWheel_PYTHON "${python_with_torch}")
  shardlens_torch_of("${python_with_torch}" TorchWheel_ROOT)
endif()

find_path(TorchWheel_INCLUDE_DIR ATen/ATen.h PATHS "${TorchWheel_ROOT}/include"
          NO_CACHE NO_DEFAULT_PATH)
find_library(TorchWheel_CPU_LIBRARY torch_cpu PATHS "${TorchWheel_ROOT}/lib"
             NO_CACHE NO_DEFAULT_PATH)
find_library(TorchWheel_C10_LIBRARY c10 PATHS "${TorchWheel_ROOT}/lib" NO_CACHE NO_DEFAULT_PATH)
# Older versions of torch, which are refused below, have no headeronly/version.h.
find_file(TorchWheel_VERSION_HEADER NAMES headeronly/version.h csrc/api/include/torch/version.h
          PATHS "${TorchWheel_ROOT}/include/torch" NO_CACHE NO_DEFAULT_PATH)
if(TorchWheel_INCLUDE_DIR AND TorchWheel_VERSION_HEADER)
  file(STRINGS "${TorchWheel_VERSION_HEADER}" version_lines REGEX "define TORCH_VERSION_(MAJOR|MINOR|PATCH) ")
  string(REGEX MATCHALL "[0-9]+" TorchWheel_VERSION "${version_lines}")
  list(JOIN TorchWheel_VERSION . TorchWheel_VERSION)
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(TorchWheel
  REQUIRED_VARS TorchWheel_CPU_LIBRARY TorchWheel_C10_LIBRARY TorchWheel_INCLUDE_DIR
  VERSION_VAR TorchWheel_VERSION
  REASON_FAILURE_MESSAGE
    "app/setup makes .venv, and SHARDLENS_TORCH names another python or folder")
string(REGEX MATCH "^[0-9]+\\.[0-9]+" torch_minor "${TorchWheel_VERSION}")
if(NOT torch_minor IN_LIST accepted_versions)
  list(JOIN accepted_versions " and " accepted_versions)
  message(FATAL_ERROR "torch ${TorchWheel_VERSION} in ${TorchWheel_ROOT}: Shardlens is written "
                      "against torch ${accepted_versions} (its C++ interface moves). Install one of "
                      "these there, then try again. ${torch_is_optional}")
endif()

cmake_path(GET TorchWheel_ROOT PARENT_PATH TorchWheel_NVIDIA)
string(APPEND TorchWheel_NVIDIA /nvidia)

add_library(TorchWheel::c10 SHARED IMPORTED)
set_target_properties(TorchWheel::c10 PROPERTIES IMPORTED_LOCATION "${TorchWheel_C10_LIBRARY}")
add_library(TorchWheel::torch SHARED IMPORTED)
set_target_properties(TorchWheel::torch PROPERTIES
  IMPORTED_LOCATION "${TorchWheel_CPU_LIBRARY}"
  INTERFACE_INCLUDE_DIRECTORIES
    "${TorchWheel_INCLUDE_DIR};${TorchWheel_INCLUDE_DIR}/torch/csrc/api/include"
  INTERFACE_COMPILE_DEFINITIONS "USE_DISTRIBUTED;USE_C10D_GLOO"
  INTERFACE_COMPILE_FEATURES cxx_std_20
  INTERFACE_LINK_LIBRARIES TorchWheel::c10
  # DT_RPATH beats LD_LIBRARY_PATH: no other libtorch, cudart or NCCL can slip in at run time.
  INTERFACE_LINK_OPTIONS -Wl,--disable-new-dtags)
