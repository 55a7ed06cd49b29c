#pragma once

#include "kernels/cuda/copy.h"
#include "kernels/cuda/cross_entropy.h"
#include "kernels/cuda/reduce.h"
#include "kernels/cuda/rows.h"
#include "tests/kernels/gpu.h"

namespace shardlens::kernels::cuda {

// Counterpart of OnProcessor that runs the kernels on the GPU, on the default stream.
struct OnGpu {
  using Memory = GpuMemory;
  static std::optional<std::string> whyNot() { return whyNoGpu(); }

  template <class... Args>
  static void maskedLookup(Args&&... args) {
    cuda::maskedLookup(args..., nullptr);
  }
  template <class... Args>
  static void scatterAddRows(Args&&... args) {
    cuda::scatterAddRows(args..., nullptr);
  }
  template <class... Args>
  static void copyPieces(Args&&... args) {
    cuda::copyPieces(args..., nullptr);
  }
  template <class... Args>
  static void copyBlocks(Args&&... args) {
    cuda::copyBlocks(args..., nullptr);
  }
  static std::optional<std::int64_t> firstBadId(const Ids& ids, std::int64_t tableRows) {
    return IdCheck(ids, tableRows, nullptr).firstBad();
  }
  template <class... Args>
  static void reduceTerms(Args&&... args) {
    cuda::reduceTerms(args..., nullptr);
  }
  template <class... Args>
  static void sumRows(Args&&... args) {
    cuda::sumRows(args..., nullptr);
  }
  template <class... Args>
  static void gradRows(Args&&... args) {
    cuda::gradRows(args..., nullptr);
  }
};

}  // namespace shardlens::kernels::cuda
