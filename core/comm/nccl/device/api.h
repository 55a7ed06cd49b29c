#pragma once

#include "core/base/result.h"

#include <nccl.h>

#include <filesystem>

namespace shardlens {

// The NCCL functions in use, looked up at run time. The program therefore runs without NCCL, and a
// test can supply its own functions.
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

// The same for the CUDA runtime. The types are written out, because its header overloads some of
// these names with templates.
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
  const char* (*getErrorString)(cudaError_t error) = nullptr;
};

// NCCL and the CUDA runtime, as loaded.
struct GpuApi {
  NcclApi nccl;
  CudaApi cuda;
  int ncclVersion = 0;  // as NCCL_VERSION_CODE
  std::filesystem::path ncclPath;
};

// Opens both libraries. Returns an error if NCCL's major or minor version differs from that of the
// header in this build.
Result<GpuApi> loadGpuApi();

// Returns the number of GPUs. No GPU and no driver are errors.
Result<int> countGpus(const CudaApi& cuda);

}  // namespace shardlens
