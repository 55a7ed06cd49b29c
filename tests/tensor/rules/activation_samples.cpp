#include "tests/tensor/rules/samples.h"

namespace shardlens {
namespace {

using Tensor = at::Tensor;
using Tensors = Sample::Tensors;

std::vector<Sample> gradients(const Tensor& dy, const Tensor& x) {
  const auto of = [&](std::string name, auto call) {
    return sampleOf(std::move(name), dy, x, call);
  };
  return {
      of("elu_backward",
         [](auto& g, auto& t) { return at::elu_backward(g, 1, 2, 3, /*is_result=*/false, t); }),
      of("gelu_backward", [](auto& g, auto& t) { return at::gelu_backward(g, t); }),
      of("hardshrink_backward", [](auto& g, auto& t) { return at::hardshrink_backward(g, t, 12); }),
      of("hardsigmoid_backward", [](auto& g, auto& t) { return at::hardsigmoid_backward(g, t); }),
      of("hardswish_backward", [](auto& g, auto& t) { return at::hardswish_backward(g, t); }),
      of("hardtanh_backward",
         [](auto& g, auto& t) { return at::hardtanh_backward(g, t, -30, 40); }),
      of("leaky_relu_backward",
         [](auto& g, auto& t) { return at::leaky_relu_backward(g, t, 0.25, false); }),
      of("log_sigmoid_backward",
         [](auto& g, auto& t) { return at::log_sigmoid_backward(g, t, t.abs().neg().exp()); }),
      of("mish_backward", [](auto& g, auto& t) { return at::mish_backward(g, t); }),
      of("rrelu_with_noise_backward",
         [](auto& g, auto& t) {
           return at::rrelu_with_noise_backward(g, t, t, 0.1, 0.3, true, false);
         }),
      of("softplus_backward", [](auto& g, auto& t) { return at::softplus_backward(g, t, 1, 20); }),
      of("softshrink_backward", [](auto& g, auto& t) { return at::softshrink_backward(g, t, 12); }),
      of("threshold_backward", [](auto& g, auto& t) { return at::threshold_backward(g, t, 12); }),
  };
}

}  // namespace

std::vector<Sample> activationSamples() {
  const auto x = wholeNumbers({6, 4}).div(12);
  const auto dy = wholeNumbers({6, 4}, 1);
  auto samples = gradients(dy, x);
  samples.push_back(sampleOf("hardswish", x, [](auto& t) { return at::hardswish(t); }));
  samples.push_back(sampleOf("gelu_", x, [](auto& t) {
    auto written = t.clone();
    return at::gelu_(written);
  }));
  samples.push_back(sampleOf("log_sigmoid", x, [](auto& t) { return at::log_sigmoid(t); }));
  samples.push_back(
      sampleOf("prelu", x, wholeNumbers({4}, 2), [](auto& t, auto& w) { return at::prelu(t, w); }));
  samples.push_back(
      {"_prelu_kernel_backward", {dy, x, wholeNumbers({1, 4}, 2)}, [](const Tensors& t) {
         const auto [dx, dw] = at::_prelu_kernel_backward(t[0], t[1], t[2]);
         return Tensors{dx, dw};
       }});
  samples.push_back(sampleOf("glu", x, [](auto& t) { return at::glu(t, 0); }));
  samples.push_back(sampleOf("glu_backward", wholeNumbers({6, 2}, 1), x,
                             [](auto& g, auto& t) { return at::glu_backward(g, t, 1); }));
  samples.push_back(sampleOf("floor_divide", x, wholeNumbers({4}, 3).abs().add(1),
                             [](auto& t, auto& u) { return at::floor_divide(t, u); }));
  samples.push_back(sampleOf("rrelu", x, [](auto& t) { return at::rrelu(t); }));
  samples.push_back(sampleOf("fill.Scalar", x, [](auto& t) { return at::fill(t, 12); }));
  samples.push_back(sampleOf("fill.Tensor", x, wholeNumbers({}, 1),
                             [](auto& t, auto& u) { return at::fill(t, u); }));
  for (auto& sample : samples) sample.match = Sample::Match::Near;
  return samples;
}

}  // namespace shardlens
