#include "tests/tensor/rules/samples.h"

#include <limits>

namespace shardlens {
namespace {

at::Tensor words(at::IntArrayRef shape, std::int64_t below) {
  return wholeNumbers(shape).abs().to(at::kLong).div(12, "trunc").remainder(below);
}

Sample::Tensors listOf(std::tuple<at::Tensor, at::Tensor, at::Tensor, at::Tensor> results) {
  auto& [bags, bagOf, sizes, largest] = results;
  return {bags, bagOf, sizes, largest};
}

std::vector<Sample> bagSamples(const at::Tensor& table) {
  const auto ids = words({6}, 7);
  const auto offsets = at::tensor({0, 0, 2, 6}, at::kLong);
  std::vector<Sample> samples;
  for (const std::int64_t mode : {0, 1, 2}) {
    for (const std::int64_t padding : {-1, 2}) {
      const std::string name =
          " mode " + std::to_string(mode) + " padding " + std::to_string(padding);
      samples.push_back({"_embedding_bag" + name,
                         {table, ids, offsets},
                         [=](const Sample::Tensors& t) {
                           return listOf(at::_embedding_bag(t[0], t[1], t[2], false, mode, false,
                                                            {}, false, padding));
                         },
                         Sample::Terms::Tried,
                         Sample::Match::Near});
      samples.push_back({"_embedding_bag_forward_only with the end" + name,
                         {table, ids, offsets},
                         [=](const Sample::Tensors& t) {
                           return listOf(at::_embedding_bag_forward_only(
                               t[0], t[1], t[2], false, mode, false, {}, true, padding));
                         },
                         Sample::Terms::Tried,
                         Sample::Match::Near});
    }
  }
  // As modules call it: missing weights are an undefined tensor.
  samples.push_back(
      {"embedding_bag",
       {table, ids, offsets},
       [](const Sample::Tensors& t) { return listOf(at::embedding_bag(t[0], t[1], t[2])); },
       Sample::Terms::Tried,
       Sample::Match::Near});
  samples.push_back({"_embedding_bag weighed",
                     {table, ids, offsets, wholeNumbers({6}, 1)},
                     [](const Sample::Tensors& t) {
                       return listOf(at::_embedding_bag(t[0], t[1], t[2], false, 0, false, t[3]));
                     },
                     Sample::Terms::Tried,
                     Sample::Match::Near});
  return samples;
}

}  // namespace

std::vector<Sample> embeddingSamples() {
  const auto table = wholeNumbers({7, 4});
  std::vector<Sample> samples;
  const auto tried = [&](std::string name, const at::Tensor& ids, auto call,
                         Sample::Match match = Sample::Match::Exact) {
    samples.push_back(sampleOf(std::move(name), table, ids, call));
    samples.back().match = match;
  };
  for (const auto& shape : std::vector<std::vector<std::int64_t>>{{5}, {2, 3}, {2, 1, 2}, {0}}) {
    tried("embedding of ids of " + std::to_string(shape.size()) + " dimensions, " +
              std::to_string(shape.front()),
          words(shape, 7), [](auto& w, auto& i) { return at::embedding(w, i, /*padding_idx=*/2); });
  }
  const auto infinite = std::numeric_limits<double>::infinity();
  for (const double p : {2.0, 1.0, 3.5, 0.0, -1.0, infinite, -infinite}) {
    const std::string norm = " by norm " + std::to_string(p);
    tried(
        "embedding_renorm" + norm, words({2, 3}, 6),
        [p](auto& w, auto& i) { return at::embedding_renorm(w, i, 3.0, p); }, Sample::Match::Near);
    tried(
        "embedding_renorm_" + norm, words({5}, 6),
        [p](auto& w, auto& i) {
          at::Tensor written = w;
          return at::embedding_renorm_(written, i, 3.0, p);
        },
        Sample::Match::Near);
  }
  for (const bool byFrequency : {false, true}) {
    samples.push_back(
        sampleOf(std::string("embedding_dense_backward") + (byFrequency ? " by frequency" : ""),
                 wholeNumbers({6, 4}), words({6}, 7), [byFrequency](auto& dy, auto& i) {
                   return at::embedding_dense_backward(dy, i, 7, /*padding_idx=*/1, byFrequency);
                 }));
    samples.back().match = Sample::Match::Near;
  }
  for (auto& sample : bagSamples(table)) samples.push_back(std::move(sample));
  return samples;
}

}  // namespace shardlens
