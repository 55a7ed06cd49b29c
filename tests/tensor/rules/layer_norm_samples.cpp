#include "tests/tensor/rules/samples.h"

namespace shardlens {
namespace {}  // namespace

std::vector<Sample> layerNormSamples() {
  const auto x = wholeNumbers({5, 2, 4}).div(12);
  const auto weight = wholeNumbers({4}, 1).div(72);
  const auto bias = wholeNumbers({4}, 2).div(72);
  const auto forward = [](const Sample::Tensors& t) {
    const auto [y, mean, rstd] = at::native_layer_norm(t[0], {4}, t[1], t[2], 1e-5);
    return Sample::Tensors{y, mean, rstd};
  };
  const auto [y, mean, rstd] = at::native_layer_norm(x, {4}, weight, bias, 1e-5);
  const auto backward = [](const Sample::Tensors& t) {
    const auto [dx, dw, db] =
        at::native_layer_norm_backward(t[0], t[1], {4}, t[2], t[3], t[4], t[5], {true, true, true});
    return Sample::Tensors{dx, dw, db};
  };
  const auto backwardToWeight = [](const Sample::Tensors& t) {
    const auto [dx, dw, db] =
        at::native_layer_norm_backward(t[0], t[1], {4}, t[2], t[3], t[4], {}, {false, true, false});
    return Sample::Tensors{dw};
  };
  return {
      nearly({"native_layer_norm", {x, weight, bias}, forward}),
      nearly(sampleOf("native_layer_norm of two dimensions", x,
                      [](auto& t) {
                        return std::get<0>(at::native_layer_norm(t, {2, 4}, {}, {}, 1e-5));
                      })),
      nearly(sampleOf("layer_norm of all", x,
                      [](auto& t) {
                        return at::layer_norm(t, {5, 2, 4});
                      })),
      nearly({"native_layer_norm_backward", {y, x, mean, rstd, weight, bias}, backward}),
      nearly({"native_layer_norm_backward to the weight",
              {y, x, mean, rstd, weight},
              backwardToWeight}),
  };
}

}  // namespace shardlens
