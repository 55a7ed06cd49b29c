#pragma once

#include "core/base/result.h"

#include <nccl.h>

#include <filesystem>

namespace shardlens {

// NCCL's functions that are used, found when the program runs: the same program works where there
// is no NCCL, and a test gives its own functions.
struct NcclApi {
  decltype(&ncclGetVersion) getVersion = nullptr;
  decltype(&ncclGetUniqueId) getUniqueId = nullptr;
  decltype(&ncclCommInitRankConfig) commInitRankConfig = nullptr;
  decltype(&ncclCommSplit) commSplit = nullptr;
  decltype(&ncclCommFinalize) commFinalize = nullptr;
  decltype(&ncclCommDestroy) commDestroy = nullptr;
  decltype(&ncclCommAbort) commAbort = nullptr;
  decltype(&ncclCommGetAsyncError) commGetAsyncError = nullptr;
  decltype(&ncclGetErrorString) getErrorString = nullptr;
  decltype(&ncclGetLastError) getLastError = nullptr;
  decltype(&ncclGroupStart) groupStart = nullptr;
  decltype(&ncclGroupEnd) groupEnd = nullptr;
  decltype(&ncclAllReduce) allReduce = nullptr;
  decltype(&ncclReduce) reduce = nullptr;
  decltype(&ncclReduceScatter) reduceScatter = nullptr;
  decltype(&ncclAllGather) allGather = nullptr;
  decltype(&ncclBroadcast) broadcast = nullptr;
  decltype(&ncclSend) send = nullptr;
  decltype(&ncclRecv) recv = nullptr;
  decltype(&ncclRedOpCreatePreMulSum) redOpCreatePreMulSum = nullptr;
  decltype(&ncclRedOpDestroy) redOpDestroy = nullptr;
};

// The same of the CUDA runtime. (Its header has templates of some of these names, so their types
// are written out.)
struct CudaApi {
  cudaError_t (*getDeviceCount)(int* count) = nullptr;
  cudaError_t (*getDevice)(int* device) = nullptr;
  cudaError_t (*setDevice)(int device) = nullptr;
  cudaError_t (*malloc)(void** data, std::size_t bytes) = nullptr;
  cudaError_t (*free)(void* data) = nullptr;
  cudaError_t (*memcpyAsync)(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                             cudaStream_t stream) = nullptr;
  cudaError_t (*streamCreateWithFlags)(cudaStream_t* stream, unsigned flags) = nullptr;
  cudaError_t (*streamDestroy)(cudaStream_t stream) = nullptr;
  cudaError_t (*streamWaitEvent)(cudaStream_t stream, cudaEvent_t event, unsigned flags) = nullptr;
  cudaError_t (*eventCreateWithFlags)(cudaEvent_t* event, unsigned flags) = nullptr;
  cudaError_t (*eventDestroy)(cudaEvent_t event) = nullptr;
  cudaError_t (*eventRecord)(cudaEvent_t event, cudaStream_t stream) = nullptr;
  cudaError_t (*eventQuery)(cudaEvent_t event) = nullptr;
  cudaError_t (*getLastError)() = nullptr;
  cudaError_t (*eventElapsedTime)(float* milliseconds, cudaEvent_t start,
                                  cudaEvent_t end) = nullptr;
  const char* (*getErrorString)(cudaError_t error) = nullptr;
};

struct GpuApi {
  NcclApi nccl;
  CudaApi cuda;
  int ncclVersion = 0;  // as NCCL_VERSION_CODE
  std::filesystem::path ncclPath;
};

// Opens both. Refuses an NCCL of another minor version than the header that this was built with.
Result<GpuApi> loadGpuApi();

// How many GPUs there are; refuses where there is none, as without a driver.
Result<int> countGpus(const CudaApi& cuda);

}  // namespace shardlens
