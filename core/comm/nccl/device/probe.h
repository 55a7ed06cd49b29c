#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace shardlens {

// A GPU as the driver reports it.
struct Gpu {
  std::string name;
  std::int64_t bytes = 0;  // total memory
  int major = 0;           // compute capability
  int minor = 0;
};

// The result of a probe for running on GPUs. Each error says what is missing and what to do.
struct GpuProbe {
  Result<std::string> driver;  // newest CUDA version that the driver supports, as "13.0"
  Result<std::vector<Gpu>> gpus;
  struct Nccl {
    std::string version;  // "2.30.7"
    std::filesystem::path path;
  };
  Result<Nccl> nccl;
  Result<std::filesystem::path> torchCuda;  // path of libtorch_cuda.so
};

// Queries the driver and NCCL directly. Works without any of them, and creates no CUDA context.
GpuProbe probeGpus();

// Returns the first error of the probe that prevents running on GPUs, if any.
Result<void> readyForGpus(const GpuProbe& probe);

// Returns the GPU of a launched process: `localRank`, the value of its variable LOCAL_RANK, or null
// if that is not set. The error names the process, because all processes report the first one's
// error. Returns an error unless it is a number from 0 to gpus - 1.
Result<int> gpuOfProcess(const char* localRank, int process, int gpus);

// 23007 -> "2.30.7"
std::string ncclVersionText(int code);

}  // namespace shardlens
