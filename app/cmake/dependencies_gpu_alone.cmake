# What a GPU is tried with needs a CUDA toolkit. Where NCCL and the headers of tl-expected and fmt
# are too, its communicator is built; where GTest is, the tests are.

set(SHARDLENS_TORCH_VERSION none)
include(cuda)
include(nccl)
find_package(tl-expected QUIET)
find_package(fmt QUIET)
find_package(GTest QUIET)

set(SHARDLENS_HAS_NCCL_ROOM OFF)
foreach(package IN ITEMS tl-expected fmt)
  if(SHARDLENS_WITH_NCCL AND NOT ${package}_FOUND)
    list(APPEND missing ${package})
  endif()
endforeach()
if(missing)
  list(JOIN missing " and " missing)
  string(APPEND SHARDLENS_NCCL_SUMMARY ", left out: it needs ${missing}")
elseif(SHARDLENS_WITH_NCCL AND EXISTS "${PROJECT_SOURCE_DIR}/core/comm/nccl")
  set(SHARDLENS_HAS_NCCL_ROOM ON)
endif()
