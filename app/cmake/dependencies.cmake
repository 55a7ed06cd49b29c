# Everything found outside the repository; app/setup installs what is required here.

if(SHARDLENS_GPU_ALONE)
  find_package(Threads REQUIRED)
  include(dependencies_gpu_alone)
  return()
endif()
include(engine_dependencies)
if(SHARDLENS_PYTHON_ALONE)
  include(cuda)
  include(nccl)
  return()
endif()
find_package(ZLIB REQUIRED)
find_package(CLI11 REQUIRED)
# Debian's md4cConfig.cmake fails unless the package of md4c-html, which is not used, is installed.
find_path(MD4C_INCLUDE md4c.h REQUIRED)
find_library(MD4C_LIBRARY md4c REQUIRED)
add_library(md4c::md4c UNKNOWN IMPORTED GLOBAL)
set_target_properties(md4c::md4c PROPERTIES IMPORTED_LOCATION "${MD4C_LIBRARY}"
  INTERFACE_INCLUDE_DIRECTORIES "${MD4C_INCLUDE}")
find_package(Qt6 6.4 REQUIRED COMPONENTS Core Gui Widgets Charts Network Svg Test)
find_package(GTest REQUIRED)
find_program(SHARDLENS_PYTHON3 python3 REQUIRED)

if(NOT SHARDLENS_TORCH_FREE)
  find_package(benchmark REQUIRED)
endif()
include(cuda)

include(nccl)
