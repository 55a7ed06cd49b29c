#include "core/tensor/local/families.h"

#include <ATen/ATen.h>

namespace shardlens {
namespace {

// Of as many dimensions, to ask the operator itself what it would refuse.
at::Tensor oneElement(const at::Tensor& like) {
  return at::zeros(std::vector<std::int64_t>(static_cast<std::size_t>(like.dim()), 1));
}

void checkFlip(at::ArrayRef<c10::IValue> args, const std::vector<at::Tensor>& inputs) {
  at::flip(oneElement(inputs[0]), args[1].toIntVector());
}

void checkRoll(at::ArrayRef<c10::IValue> args, const std::vector<at::Tensor>& inputs) {
  at::roll(oneElement(inputs[0]), args[1].toIntVector(), args[2].toIntVector());
}

// A rank's part in the shape that its part of the result has: dimensions of its part may be of size
// one where the whole's are not, and its elements may lie otherwise in memory than the whole's.
LocalResult viewed(const LocalCall& call) {
  const auto& shapes = call.plan.outputs.front()->localShapes;
  LocalResult result{{Buffers()}};
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    result.outputs.front().push_back(call.local(0, i).reshape(shapes[i]));
  }
  return result;
}

}  // namespace

std::vector<NamedKernel> viewKernels() {
  std::vector<NamedKernel> kernels{{"aten.flip", {.check = checkFlip}},
                                   {"aten.roll", {.check = checkRoll}}};
  for (const auto name : {"aten._reshape_alias", "aten._unsafe_view", "aten.squeeze",
                          "aten.squeeze.dim", "aten.squeeze.dims", "aten.view"}) {
    kernels.push_back({name, {.run = viewed}});
  }
  return kernels;
}

}  // namespace shardlens
