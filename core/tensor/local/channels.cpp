#include "core/base/refusal.h"
#include "core/tensor/local/families.h"

#include <ATen/ATen.h>
#include <fmt/core.h>

namespace shardlens {
namespace {

using Args = at::ArrayRef<c10::IValue>;

// Returns zeros to run libtorch's own checks on: one image of as few channels as possible. Needed
// because no meta function of libtorch checks these operators.
at::Tensor zeros(const at::Tensor& like, std::vector<std::int64_t> shape) {
  return at::zeros({}, like.options().device(at::kCPU)).expand(shape);
}

// self, kernel_size, dilation, padding, stride
void checkIm2col(Args args, const std::vector<at::Tensor>& inputs) {
  auto shape = inputs[0].sizes().vec();
  for (std::size_t dim = 0; dim + 2 < shape.size(); ++dim) shape[dim] = 1;
  at::im2col(zeros(inputs[0], shape), args[1].toIntVector(), args[2].toIntVector(),
             args[3].toIntVector(), args[4].toIntVector());
}

// self, output_size, kernel_size, dilation, padding, stride
void checkCol2im(Args args, const std::vector<at::Tensor>& inputs) {
  auto shape = inputs[0].sizes().vec();
  const auto kernel = args[2].toIntVector();
  if (shape.size() >= 2 && kernel.size() == 2 && kernel[0] > 0 && kernel[1] > 0) {
    const auto window = kernel[0] * kernel[1];
    auto& channels = shape[shape.size() - 2];
    if (channels % window != 0) {
      throw Refusal(
          fmt::format("aten.col2im: got {} channels, expected a multiple of the {} of a "
                      "window",
                      channels, window));
    }
    channels = std::min(channels, window);
    if (shape.size() > 2) shape.front() = std::min<std::int64_t>(shape.front(), 1);
  }
  at::col2im(zeros(inputs[0], shape), args[1].toIntVector(), kernel, args[3].toIntVector(),
             args[4].toIntVector(), args[5].toIntVector());
}

// self, groups
void checkChannelShuffle(Args args, const std::vector<at::Tensor>& inputs) {
  auto shape = inputs[0].sizes().vec();
  for (std::size_t dim = 0; dim < shape.size(); ++dim) {
    if (dim != 1) shape[dim] = 1;
  }
  at::channel_shuffle(zeros(inputs[0], shape), args[1].toInt());
}

}  // namespace

std::vector<NamedKernel> channelsKernels() {
  return {{"aten.channel_shuffle", {.check = checkChannelShuffle}},
          {"aten.col2im", {.check = checkCol2im}},
          {"aten.im2col", {.check = checkIm2col}}};
}

}  // namespace shardlens
