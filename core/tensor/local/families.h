#pragma once

#include "core/tensor/local/local_kernels.h"

#include <string_view>
#include <vector>

namespace shardlens {

// A local kernel with the operator it is for: "aten.embedding".
struct NamedKernel {
  std::string_view name;
  LocalKernel kernel;
};

// Each family's function is in the file of the same name. `name` must have static lifetime.
std::vector<NamedKernel> activationGradientKernels();
std::vector<NamedKernel> agreementKernels();
std::vector<NamedKernel> argmaxKernels();
std::vector<NamedKernel> asStridedKernels();
std::vector<NamedKernel> attentionKernels();
std::vector<NamedKernel> batchedKernels();
std::vector<NamedKernel> batchNormKernels();
std::vector<NamedKernel> channelsKernels();
std::vector<NamedKernel> complexKernels();
std::vector<NamedKernel> convolutionKernels();
std::vector<NamedKernel> embeddingKernels();
std::vector<NamedKernel> embeddingBagKernels();
std::vector<NamedKernel> embeddingRenormKernels();
std::vector<NamedKernel> factoryKernels();
std::vector<NamedKernel> fftKernels();
std::vector<NamedKernel> fusedAttentionKernels();
std::vector<NamedKernel> gatherKernels();
std::vector<NamedKernel> groupNormKernels();
std::vector<NamedKernel> layerNormKernels();
std::vector<NamedKernel> lossKernels();
std::vector<NamedKernel> matmulKernels();
std::vector<NamedKernel> pointwiseLossKernels();
std::vector<NamedKernel> polynomialKernels();
std::vector<NamedKernel> randomKernels();
std::vector<NamedKernel> reductionKernels();
std::vector<NamedKernel> segmentKernels();
std::vector<NamedKernel> spatialKernels();
std::vector<NamedKernel> trilinearKernels();
std::vector<NamedKernel> viewKernels();

}  // namespace shardlens
