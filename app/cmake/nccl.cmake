# NCCL, where SHARDLENS_NCCL wants it: sets Nccl_FOUND.

set(SHARDLENS_NCCL_SUMMARY off)
if(NOT SHARDLENS_NCCL STREQUAL OFF)
  find_package(Nccl QUIET)
  if(Nccl_FOUND)
    set(SHARDLENS_NCCL_SUMMARY ${Nccl_VERSION})
  elseif(SHARDLENS_NCCL STREQUAL ON)
    message(FATAL_ERROR "SHARDLENS_NCCL=ON, but no nccl.h with its libnccl.so.2 was found: "
                        "tests/run installs the full torch, which brings them")
  else()
    set(SHARDLENS_NCCL_SUMMARY "not found")
  endif()
endif()
