#include "tests/tensor/rules/samples.h"

#include <ATen/core/Reduction.h>

namespace shardlens {
namespace {

using Tensors = Sample::Tensors;

constexpr std::int64_t kIgnored = 1;

Tensors pair(std::tuple<at::Tensor, at::Tensor> values) {
  return {std::get<0>(values), std::get<1>(values)};
}

// Adds a loss of these log-probabilities for each reduction, with and without weights.
void addSamples(std::vector<Sample>& samples, const std::string& name, const at::Tensor& input,
                const at::Tensor& target) {
  const auto weight = wholeNumbers({input.size(1)}, 3).abs();
  const bool isImage = input.dim() == 4;
  for (const std::int64_t reduction :
       {at::Reduction::None, at::Reduction::Mean, at::Reduction::Sum}) {
    const std::string which = name + " reduction " + std::to_string(reduction);
    const auto forward = [=](const Tensors& t) {
      const auto w = t.size() > 2 ? std::optional(t[2]) : std::nullopt;
      return pair(isImage ? at::nll_loss2d_forward(t[0], t[1], w, reduction, kIgnored)
                          : at::nll_loss_forward(t[0], t[1], w, reduction, kIgnored));
    };
    const auto add = [&](const std::string& what, Tensors tensors, auto call) {
      samples.push_back(
          {which + what, std::move(tensors), call, Sample::Terms::Tried, Sample::Match::Near});
    };
    add(" forward", {input, target}, forward);
    add(" forward weighted", {input, target, weight}, forward);

    const auto backward = [=](const Tensors& t) {
      const auto w = t.size() > 4 ? std::optional(t[4]) : std::nullopt;
      return Tensors{isImage
                         ? at::nll_loss2d_backward(t[0], t[1], t[2], w, reduction, kIgnored, t[3])
                         : at::nll_loss_backward(t[0], t[1], t[2], w, reduction, kIgnored, t[3])};
    };
    const bool isNone = reduction == at::Reduction::None;
    const auto gradient = isNone ? wholeNumbers(target.sizes(), 2) : at::tensor(12.0F);
    const auto total = at::tensor(24.0F);
    add(" backward", {gradient, input, target, total}, backward);
    add(" backward weighted", {gradient, input, target, total, weight}, backward);
  }
}

at::Tensor classes(at::IntArrayRef shape, std::int64_t count) {
  return wholeNumbers(shape, 1).div(12).abs().remainder(count).to(at::kLong);
}

}  // namespace

std::vector<Sample> lossSamples() {
  std::vector<Sample> samples;
  addSamples(samples, "nll_loss", wholeNumbers({5, 4}), classes({5}, 4));
  addSamples(samples, "nll_loss2d", wholeNumbers({3, 4, 2, 3}), classes({3, 2, 3}, 4));
  samples.push_back({"nll_loss of one row",
                     {wholeNumbers({4}), classes({}, 4)},
                     [](const Tensors& t) { return Tensors{at::nll_loss(t[0], t[1])}; }});
  // Two sequences of up to three labels from four classes, over five time steps.
  samples.push_back(
      {"ctc_loss and its gradient",
       {at::log_softmax(wholeNumbers({5, 2, 4}).div(24), 2), classes({2, 3}, 3).add(1)},
       [](const Tensors& t) {
         const auto [loss, alpha] = at::_ctc_loss(t[0], t[1], {5, 4}, {3, 2});
         return Tensors{loss, at::_ctc_loss_backward(loss, t[0], t[1], {5, 4}, {3, 2}, loss, alpha,
                                                     /*blank=*/0)};
       },
       Sample::Terms::Tried,
       Sample::Match::Near});
  return samples;
}

}  // namespace shardlens
