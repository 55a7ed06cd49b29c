#include "core/memory/dtypes.h"
#include "core/memory/gpu_scope.h"
#include "core/memory/reduce.h"
#include "kernels/cuda/reduce.h"
#include "shardlens_gpu_build.h"

#include <ATen/ATen.h>

#include <algorithm>

namespace shardlens {

#ifdef SHARDLENS_WITH_CUDA

bool reduceOnGpu(const Terms& reduction, Reduction how) {
  constexpr std::size_t kMost = 128;
  const auto& like = reduction.terms.front();
  const auto type = kernelElements(like.scalar_type());
  if (!type || !kernels::isReducible(*type, kernelOp(how.op))) return false;
  if (reduction.terms.size() > kMost || reduction.outputs.size() > kMost) return false;
  const auto fits = [&](const at::Tensor& each) {
    return isPlainOnGpu(each) && each.device() == like.device() && each.is_contiguous();
  };
  if (!std::all_of(reduction.terms.begin(), reduction.terms.end(), fits)) return false;
  if (!std::all_of(reduction.outputs.begin(), reduction.outputs.end(), fits)) return false;
  std::vector<const void*> addends;
  std::vector<void*> outputs;
  for (const auto& addend : reduction.terms) addends.push_back(addend.const_data_ptr());
  for (const auto& output : reduction.outputs) outputs.push_back(output.mutable_data_ptr());
  const GpuScope gpu(like);
  kernels::cuda::reduceTerms({addends, outputs, *type, like.numel()}, kernelOp(how.op), how.factor,
                             gpu.stream());
  return true;
}

#else

bool reduceOnGpu(const Terms&, Reduction) { return false; }

#endif

}  // namespace shardlens
