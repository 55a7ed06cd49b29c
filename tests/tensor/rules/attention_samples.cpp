#include "tests/tensor/rules/samples.h"

namespace shardlens {
namespace {

using Tensors = Sample::Tensors;

Tensors attend(const Tensors& t, bool causal, const std::optional<at::Tensor>& mask = {}) {
  const auto [y, sums] =
      at::_scaled_dot_product_flash_attention_for_cpu(t[0], t[1], t[2], 0, causal, mask);
  return {y, sums};
}

Sample attention(std::string name, Tensors tensors, std::function<Tensors(const Tensors&)> call) {
  return {std::move(name), std::move(tensors), std::move(call), Sample::Terms::Tried,
          Sample::Match::Near};
}

}  // namespace

std::vector<Sample> attentionSamples() {
  const auto part = [](at::IntArrayRef shape, int seed) {
    return wholeNumbers(shape, seed).div(72);
  };
  const auto query = part({3, 2, 5, 4}, 0), key = part({3, 2, 6, 4}, 1),
             value = part({3, 2, 6, 4}, 2);
  const auto [y, sums] = at::_scaled_dot_product_flash_attention_for_cpu(query, key, value);
  const auto masked = [](const Tensors& t) { return attend(t, false, t[3]); };
  return {
      attention("attention to what came before", {query, key, value},
                [](const Tensors& t) { return attend(t, true); }),
      attention("attention masked alike for all heads", {query, key, value, part({3, 1, 5, 6}, 3)},
                masked),
      attention("attention backward", {part({3, 2, 5, 4}, 4), query, key, value, y, sums},
                [](const Tensors& t) {
                  const auto [dq, dk, dv] =
                      at::_scaled_dot_product_flash_attention_for_cpu_backward(
                          t[0], t[1], t[2], t[3], t[4], t[5], 0, false);
                  return Tensors{dq, dk, dv};
                }),
  };
}

}  // namespace shardlens
