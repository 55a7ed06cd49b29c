#include "core/tensor/dtensor.h"
#include "core/tensor/local/expect.h"
#include "core/tensor/local/families.h"

#include <ATen/ATen.h>

namespace shardlens {
namespace {

using Args = at::ArrayRef<c10::IValue>;

// Of as many dimensions and without data. Without an image, too: libtorch then says what it would
// refuse, and how large a result is, and computes nothing.
at::Tensor withoutImages(const at::Tensor& x) {
  auto shape = x.sizes().vec();
  if (!shape.empty()) shape.front() = 0;
  return at::empty(shape, x.options().device(at::kMeta));
}
at::Tensor withoutData(const at::Tensor& tensor) {
  return at::empty(tensor.sizes(), tensor.options().device(at::kMeta));
}

std::optional<at::Tensor> biasOf(const c10::IValue& given) {
  if (given.isNone() || !given.toTensor().defined()) return std::nullopt;
  return given.toTensor();
}

// The shape of an image that is made, of stride, padding, dilation, transposed, output_padding and
// groups.
at::Tensor imagesOf(const at::Tensor& x, const at::Tensor& weight,
                    const std::optional<at::Tensor>& bias, Args how) {
  return at::convolution(withoutImages(x), withoutData(weight), bias, how[0].toIntVector(),
                         how[1].toIntVector(), how[2].toIntVector(), how[3].toBool(),
                         how[4].toIntVector(), how[5].toInt());
}

// input, weight, bias and how
void checkConvolution(Args args, const std::vector<at::Tensor>& inputs) {
  const std::string name = "aten.convolution";
  for (const auto& input : inputs) expectDType(name, input, inputs[0].scalar_type());
  auto bias = biasOf(args[2]);
  if (bias) bias = withoutData(*bias);
  imagesOf(inputs[0], inputs[1], bias, args.slice(3));
}

// grad_output, input, weight, bias_sizes, how and output_mask
void checkConvolutionBackward(Args args, const std::vector<at::Tensor>& inputs) {
  const std::string name = "aten.convolution_backward";
  for (const auto& input : inputs) expectDType(name, input, inputs[1].scalar_type());
  auto shape = imagesOf(inputs[1], inputs[2], {}, args.slice(4, 6)).sizes().vec();
  shape[0] = inputs[1].size(0);
  expectShape(name + ": grad_output", inputs[0], shape);
}

// Where whole groups are apart, each rank convolves those that it has.
std::int64_t ownGroups(const LocalCall& call, std::size_t input, std::size_t i, std::int64_t all) {
  return all > 1 ? all * call.local(input, i).size(1) / call.inputs[input].size(1) : all;
}

// As it is stretched over images.
at::Tensor overChannels(const at::Tensor& images, const at::Tensor& bias) {
  std::vector<std::int64_t> shape(static_cast<std::size_t>(images.dim()), 1);
  shape[1] = -1;
  return bias.view(shape);
}

LocalResult convolution(const LocalCall& call) {
  constexpr std::size_t kBias = 2, kGroups = 8;
  return collected(call, [&](std::size_t i) {
    auto stack = call.arguments(i);
    stack[kGroups] = ownGroups(call, 0, i, stack[kGroups].toInt());
    const auto bias = biasOf(stack[kBias]);
    auto results = call.runPlain(i, std::move(stack));
    // A rank without input channels has a term of the bias all the same.
    const auto& y = results[0].toTensor();
    if (bias && call.local(0, i).size(1) == 0) y.add_(overChannels(y, *bias));
    return results;
  });
}

at::Tensor sumOfChannels(const at::Tensor& images) {
  return images.transpose(0, 1).flatten(1).sum(1);
}

LocalResult convolutionBackward(const LocalCall& call) {
  constexpr std::size_t kBiasSizes = 3, kGroups = 9;
  return collected(call, [&](std::size_t i) {
    auto stack = call.arguments(i);
    if (!stack[kBiasSizes].isNone()) {
      stack[kBiasSizes] = std::vector<std::int64_t>{call.local(0, i).size(1)};
    }
    stack[kGroups] = ownGroups(call, 1, i, stack[kGroups].toInt());
    auto gradients = call.runPlain(i, std::move(stack));
    // A rank without input channels knows the gradient of the bias all the same.
    if (call.local(1, i).size(1) == 0 && gradients[2].toTensor().defined()) {
      gradients[2] = sumOfChannels(call.local(0, i));
    }
    return gradients;
  });
}

}  // namespace

std::vector<NamedKernel> convolutionKernels() {
  return {{"aten.convolution", {.check = checkConvolution, .run = convolution}},
          {"aten.convolution_backward",
           {.check = checkConvolutionBackward, .run = convolutionBackward}}};
}

}  // namespace shardlens
