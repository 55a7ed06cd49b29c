#include "tests/tensor/rules/samples.h"

#include <limits>

namespace shardlens {
namespace {

using Tensors = Sample::Tensors;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// libtorch's kernel does not check the shapes.
void checkShapes(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value) {
  for (const int dim : {0, 1, 3}) TORCH_CHECK(query.size(dim) == key.size(dim), "unlike keys");
  TORCH_CHECK(key.sizes() == value.sizes(), "unlike values");
}

Tensors attend(const Tensors& t, bool causal, const std::optional<at::Tensor>& mask = {}) {
  checkShapes(t[0], t[1], t[2]);
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
  const auto [yOfEarlier, sumsOfEarlier] =
      at::_scaled_dot_product_flash_attention_for_cpu(query, key, value, 0, true);
  // The first query attends only to the last three keys, the last query to none.
  auto few = at::zeros({5, 6});
  for (const auto& row : {few[0].slice(0, 3), few[4]}) row.fill_(-kInfinity);
  const auto backward = [](const Tensors& t, bool causal) {
    checkShapes(t[1], t[2], t[3]);
    TORCH_CHECK(t[0].sizes() == t[1].sizes() && t[4].sizes() == t[1].sizes() &&
                    t[5].sizes() == t[1].sizes().slice(0, 3),
                "unlike results");
    const auto [dq, dk, dv] = at::_scaled_dot_product_flash_attention_for_cpu_backward(
        t[0], t[1], t[2], t[3], t[4], t[5], 0, causal);
    return Tensors{dq, dk, dv};
  };
  return {
      attention("attention to what came before", {query, key, value},
                [](const Tensors& t) { return attend(t, true); }),
      attention("attention of heads that some ranks would lack",
                {part({3, 4, 5, 4}, 0), part({3, 4, 6, 4}, 1), part({3, 4, 6, 4}, 2)},
                [](const Tensors& t) { return attend(t, false); }),
      attention("attention masked alike for all heads", {query, key, value, part({3, 1, 5, 6}, 3)},
                masked),
      attention("attention of what looks at few keys", {query, key, value, few}, masked),
      attention("attention to what came before, some of it dropped", {query, key, value},
                [](const Tensors& t) {
                  at::manual_seed(5);
                  return Tensors{at::scaled_dot_product_attention(t[0], t[1], t[2], {}, 0.5, true)};
                }),
      attention("attention to what came before, without heads",
                {query.select(1, 0).contiguous(), key.select(1, 0).contiguous(),
                 value.select(1, 0).contiguous()},
                [](const Tensors& t) {
                  return Tensors{at::scaled_dot_product_attention(t[0], t[1], t[2], {}, 0, true)};
                }),
      attention("attention backward", {part({3, 2, 5, 4}, 4), query, key, value, y, sums},
                [=](const Tensors& t) { return backward(t, false); }),
      attention("attention backward to what came before",
                {part({3, 2, 5, 4}, 4), query, key, value, yOfEarlier, sumsOfEarlier},
                [=](const Tensors& t) { return backward(t, true); }),
  };
}

}  // namespace shardlens
