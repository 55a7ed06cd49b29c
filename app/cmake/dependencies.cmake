# Everything found outside the repository; app/setup installs what is required here.

find_package(Threads REQUIRED)
if(SHARDLENS_GPU_ALONE)
  include(dependencies_gpu_alone)
  return()
endif()
find_package(SQLite3 REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(tl-expected REQUIRED)
find_package(fmt REQUIRED)
find_package(CLI11 REQUIRED)
find_package(Qt6 6.4 REQUIRED COMPONENTS Core Gui Widgets Charts Network Svg Test)
find_package(GTest REQUIRED)
find_program(SHARDLENS_PYTHON3 python3 REQUIRED)

set(SHARDLENS_TORCH_VERSION none)
if(NOT SHARDLENS_TORCH_FREE)
  find_package(benchmark REQUIRED)
  find_package(TorchWheel REQUIRED)
  set(SHARDLENS_TORCH_VERSION ${TorchWheel_VERSION})
  # torch's headers have another fmt among them: that of the library is found before it.
  get_target_property(fmt_headers fmt::fmt INTERFACE_INCLUDE_DIRECTORIES)
  file(MAKE_DIRECTORY "${PROJECT_BINARY_DIR}/generated")
  file(CREATE_LINK "${fmt_headers}/fmt" "${PROJECT_BINARY_DIR}/generated/fmt" SYMBOLIC)
endif()
include(cuda)

include(nccl)
