#include "core/base/refusal.h"
#include "core/tensor/local/expect.h"
#include "core/tensor/local/families.h"

#include <ATen/ATen.h>
#include <fmt/core.h>

#include <algorithm>

namespace shardlens {
namespace {

// Returns a tensor of one element with as many dimensions, for the operator's own check.
at::Tensor scalarLike(const at::Tensor& like) {
  return at::zeros(std::vector<std::int64_t>(static_cast<std::size_t>(like.dim()), 1));
}

void checkFlip(at::ArrayRef<c10::IValue> args, const std::vector<at::Tensor>& inputs) {
  at::flip(scalarLike(inputs[0]), args[1].toIntVector());
}

void checkRot90(at::ArrayRef<c10::IValue> args, const std::vector<at::Tensor>& inputs) {
  at::rot90(scalarLike(inputs[0]), args[1].toInt(), args[2].toIntVector());
}

void checkRoll(at::ArrayRef<c10::IValue> args, const std::vector<at::Tensor>& inputs) {
  at::roll(scalarLike(inputs[0]), args[1].toIntVector(), args[2].toIntVector());
}

// grad_in, input_sizes, dim, size, step: checks the gradient of the windows that unfold returns,
// because neither libtorch's kernel nor a meta function does.
void checkUnfoldBackward(at::ArrayRef<c10::IValue> args, const std::vector<at::Tensor>& inputs) {
  const std::string name = "aten.unfold_backward";
  auto shape = args[1].toIntVector();
  if (shape.empty()) shape.push_back(1);
  const auto ndim = static_cast<std::int64_t>(shape.size());
  const auto dim = args[2].toInt(), size = args[3].toInt(), step = args[4].toInt();
  if (dim < -ndim || dim >= ndim) {
    throw Refusal(
        fmt::format("{}: dim: got {}, expected one of input_sizes {}", name, dim, toText(shape)));
  }
  auto& length = shape[static_cast<std::size_t>(dim < 0 ? dim + ndim : dim)];
  if (size < 0 || size > length || step < 1) {
    throw Refusal(fmt::format("{}: got windows of {} every {}, expected some that fit into {}",
                              name, size, step, length));
  }
  length = (length - size) / step + 1;
  shape.push_back(size);
  if (args[1].toIntVector().empty()) shape = {size};  // a number has one window
  expectShape(name + ": grad_in", inputs[0], shape);
}

// Neither libtorch's kernel nor a meta function checks these.
void checkReshapeAlias(at::ArrayRef<c10::IValue> args, const std::vector<at::Tensor>& inputs) {
  const std::string name = "aten._reshape_alias";
  const auto size = args[1].toIntVector(), stride = args[2].toIntVector();
  for (const auto& [what, list] : {std::pair{"size", size}, {"stride", stride}}) {
    if (std::any_of(list.begin(), list.end(), [](auto each) { return each < 0; })) {
      throw Refusal(name + ": " + what + ": got " + toText(list) + ", expected none below 0");
    }
  }
  at::empty({inputs[0].numel()}, at::kMeta).view(size);
}

// Reshapes each rank's local to its local result. The plain operator could fail: a local dimension
// can be of size one where the whole is not, and strides can differ from the whole's.
LocalResult viewed(const LocalCall& call) {
  const auto& shapes = call.plan.outputs.front()->localShapes;
  LocalResult result{{Buffers()}};
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    result.outputs.front().push_back(call.local(0, i).reshape(shapes[i]));
  }
  return result;
}

// As viewed(), but returns copies.
LocalResult copied(const LocalCall& call) {
  LocalResult result = viewed(call);
  for (auto& part : result.outputs.front()) part = part.clone(at::MemoryFormat::Contiguous);
  return result;
}

}  // namespace

std::vector<NamedKernel> viewKernels() {
  std::vector<NamedKernel> kernels{
      {"aten.flip", {.check = checkFlip}},
      {"aten.roll", {.check = checkRoll}},
      {"aten.rot90", {.check = checkRot90}},
      {"aten.unfold_backward", {.check = checkUnfoldBackward}},
      {"aten._reshape_alias", {.check = checkReshapeAlias, .run = viewed}},
      {"aten._reshape_alias_copy", {.check = checkReshapeAlias, .run = copied}}};
  for (const auto name : {"aten._unsafe_view", "aten.squeeze", "aten.squeeze.dim",
                          "aten.squeeze.dims", "aten.view"}) {
    kernels.push_back({name, {.run = viewed}});
  }
  for (const auto name :
       {"aten.squeeze_copy", "aten.squeeze_copy.dim", "aten.squeeze_copy.dims", "aten.view_copy"}) {
    kernels.push_back({name, {.run = copied}});
  }
  return kernels;
}

}  // namespace shardlens
