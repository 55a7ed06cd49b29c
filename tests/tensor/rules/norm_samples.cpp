#include "tests/tensor/rules/samples.h"

namespace shardlens {
namespace {

using Tensors = Sample::Tensors;

Sample norm(std::string name, Tensors tensors, std::function<Tensors(const Tensors&)> call) {
  return {std::move(name), std::move(tensors), std::move(call), Sample::Terms::Tried,
          Sample::Match::Near};
}

Tensors listed(const std::tuple<at::Tensor, at::Tensor, at::Tensor>& all) {
  return {std::get<0>(all), std::get<1>(all), std::get<2>(all)};
}

std::vector<Sample> batchNormSamples(const at::Tensor& x, const at::Tensor& weight,
                                     const at::Tensor& bias) {
  const auto mean = weight.mul(2), variance = bias.abs().add(1);
  const auto [y, saved, deviation] =
      at::native_batch_norm(x, weight, bias, {}, {}, true, 0.1, 1e-3);
  const auto backward = [](bool trains) {
    return [trains](const Tensors& t) {
      return listed(at::native_batch_norm_backward(t[0], t[1], t[2], t[3], t[4], t[3], t[4], trains,
                                                   1e-3, {true, true, true}));
    };
  };
  return {
      norm("native_batch_norm", {x, weight, bias},
           [](const Tensors& t) {
             return listed(at::native_batch_norm(t[0], t[1], t[2], {}, {}, true, 0.1, 1e-3));
           }),
      norm("native_batch_norm by running statistics", {x, weight, bias, mean, variance},
           [](const Tensors& t) {
             const auto all = at::native_batch_norm(t[0], t[1], t[2], t[3], t[4], false, 0.1, 1e-3);
             return Tensors{std::get<0>(all)};
           }),
      norm("native_batch_norm_backward", {y, x, weight, saved, deviation}, backward(true)),
      norm("native_batch_norm_backward by running statistics", {y, x, weight, mean, variance},
           backward(false)),
  };
}

std::vector<Sample> groupNormSamples(const at::Tensor& x, const at::Tensor& weight,
                                     const at::Tensor& bias) {
  const auto forward = [](std::int64_t groups) {
    return [groups](const Tensors& t) {
      const auto n = t[0].size(0), c = t[0].size(1);
      return listed(at::native_group_norm(t[0], t[1], t[2], n, c, t[0].size(2), groups, 1e-3));
    };
  };
  const auto [y, mean, deviation] = at::native_group_norm(x, weight, bias, 3, 6, 2, 6, 1e-3);
  return {
      norm("native_group_norm", {x, weight, bias}, forward(6)),
      norm("native_group_norm of groups that ranks would cut", {x, weight, bias}, forward(1)),
      norm("native_group_norm_backward", {y, x, mean, deviation, weight},
           [](const Tensors& t) {
             return listed(at::native_group_norm_backward(t[0], t[1], t[2], t[3], t[4], 3, 6, 2, 6,
                                                          {true, true, true}));
           }),
  };
}

}  // namespace

std::vector<Sample> normSamples() {
  const auto x = wholeNumbers({3, 6, 2}).div(12);
  const auto weight = wholeNumbers({6}, 1).div(36), bias = wholeNumbers({6}, 2).div(36);
  auto all = batchNormSamples(x, weight, bias);
  for (auto& sample : groupNormSamples(x, weight, bias)) all.push_back(std::move(sample));
  return all;
}

}  // namespace shardlens
