#include "core/tensor/local/local_kernels.h"

#include "core/tensor/local/families.h"

#include <unordered_map>

namespace shardlens {

const LocalKernel* findLocalKernel(std::string_view name) {
  static const auto kKernels = [] {
    std::unordered_map<std::string_view, LocalKernel> kernels;
    for (const auto family : {activationGradientKernels,
                              agreementKernels,
                              argmaxKernels,
                              asStridedKernels,
                              attentionKernels,
                              batchNormKernels,
                              batchedKernels,
                              channelsKernels,
                              complexKernels,
                              convolutionKernels,
                              embeddingBagKernels,
                              embeddingKernels,
                              embeddingRenormKernels,
                              factoryKernels,
                              fftKernels,
                              fusedAttentionKernels,
                              gatherKernels,
                              groupNormKernels,
                              layerNormKernels,
                              lossKernels,
                              matmulKernels,
                              pointwiseLossKernels,
                              polynomialKernels,
                              randomKernels,
                              reductionKernels,
                              segmentKernels,
                              spatialKernels,
                              trilinearKernels,
                              viewKernels}) {
      for (const auto& [op, kernel] : family()) kernels.emplace(op, kernel);
    }
    return kernels;
  }();
  const auto it = kKernels.find(name);
  return it == kKernels.end() ? nullptr : &it->second;
}

}  // namespace shardlens
