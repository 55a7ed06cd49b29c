# What a GPU is tried with needs a CUDA toolkit. Where NCCL and the header of tl-expected are too, its
# communicator is built; where GTest is, the tests are.

set(SHARDLENS_TORCH_VERSION none)
include(cuda)
include(nccl)
find_package(tl-expected QUIET)
find_package(GTest QUIET)

set(SHARDLENS_HAS_NCCL_ROOM OFF)
if(SHARDLENS_WITH_NCCL AND tl-expected_FOUND AND EXISTS "${PROJECT_SOURCE_DIR}/core/comm/nccl")
  set(SHARDLENS_HAS_NCCL_ROOM ON)
elseif(SHARDLENS_WITH_NCCL AND NOT tl-expected_FOUND)
  string(APPEND SHARDLENS_NCCL_SUMMARY ", left out: it needs tl-expected")
endif()
