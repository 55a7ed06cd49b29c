#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace shardlens {

struct Gpu {
  std::string name;
  std::int64_t bytes = 0;  // of its memory
  int major = 0;           // compute capability
  int minor = 0;
};

// What a machine has for running on GPUs. What is not there says why not, and what to do.
struct GpuProbe {
  Result<std::string> driver;  // the newest CUDA that it can run, as "13.0"
  Result<std::vector<Gpu>> gpus;
  struct Nccl {
    std::string version;  // "2.30.7"
    std::filesystem::path path;
  };
  Result<Nccl> nccl;
  Result<std::filesystem::path> torchCuda;  // torch's part for GPUs
};

// Asks the driver and NCCL themselves; works without any of them, and initialises no GPU.
GpuProbe probeGpus();

// What stands in the way of running on GPUs, if anything.
Result<void> readyForGpus(const GpuProbe& probe);

// 23007 -> "2.30.7"
std::string ncclVersionText(int code);

}  // namespace shardlens
