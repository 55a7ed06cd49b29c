#include "core/base/refusal.h"
#include "core/tensor/local/families.h"

#include <ATen/ATen.h>

namespace shardlens {
namespace {

// Checked here because no meta function of libtorch checks this.
void checkLayerNorm(at::ArrayRef<c10::IValue> args, const std::vector<at::Tensor>& inputs) {
  const auto normalized = args[1].toDimVector();
  const auto ends = [&](const at::Tensor& tensor) {
    const auto sizes = tensor.sizes();
    return sizes.size() >= normalized.size() &&
           sizes.slice(sizes.size() - normalized.size()) == at::IntArrayRef(normalized);
  };
  for (const auto& tensor : inputs) {
    if (!normalized.empty() && ends(tensor)) continue;
    throw Refusal("aten.native_layer_norm: got shape " + toText(tensor.sizes().vec()) +
                  ", expected one that ends with " +
                  toText(Shape(normalized.begin(), normalized.end())));
  }
}

}  // namespace

std::vector<NamedKernel> layerNormKernels() {
  return {{"aten.native_layer_norm", {.check = checkLayerNorm}}};
}

}  // namespace shardlens
