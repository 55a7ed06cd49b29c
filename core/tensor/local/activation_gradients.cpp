#include "core/base/refusal.h"
#include "core/tensor/local/expect.h"
#include "core/tensor/local/families.h"

#include <ATen/core/Tensor.h>
#include <fmt/core.h>

namespace shardlens {
namespace {

using Args = at::ArrayRef<c10::IValue>;
using Tensors = std::vector<at::Tensor>;

// grad_output, output, dim, input_dtype
void checkSoftmax(Args, const Tensors& inputs) {
  expectShape("grad_output of a softmax", inputs[0], inputs[1].sizes());
}

// The result has the sign of the input only if the slope is not negative.
void checkSlope(const std::string& name, const at::Scalar& slope, bool isOfResult) {
  if (!isOfResult || slope.isComplex() || slope.toDouble() >= 0) return;
  throw Refusal(fmt::format(
      "{}: self_is_result: got true with a slope of {}, expected false where it is below 0", name,
      slope.toDouble()));
}

// grad_output, self, negative_slope, self_is_result
void checkLeakyRelu(Args args, const Tensors&) {
  checkSlope("aten.leaky_relu_backward", args[2].toScalar(), args[3].toBool());
}

// grad_output, self, noise, lower, upper, training, self_is_result
void checkRrelu(Args args, const Tensors&) {
  const double slope = (args[3].toScalar().toDouble() + args[4].toScalar().toDouble()) / 2;
  checkSlope("aten.rrelu_with_noise_backward", slope, args[6].toBool());
}

}  // namespace

std::vector<NamedKernel> activationGradientKernels() {
  return {{"aten._log_softmax_backward_data", {.check = checkSoftmax}},
          {"aten._log_softmax_backward_data.out", {.check = checkSoftmax}},
          {"aten._softmax_backward_data", {.check = checkSoftmax}},
          {"aten._softmax_backward_data.out", {.check = checkSoftmax}},
          {"aten.leaky_relu_backward", {.check = checkLeakyRelu}},
          {"aten.leaky_relu_backward.grad_input", {.check = checkLeakyRelu}},
          {"aten.rrelu_with_noise_backward", {.check = checkRrelu}},
          {"aten.rrelu_with_noise_backward.out", {.check = checkRrelu}}};
}

}  // namespace shardlens
