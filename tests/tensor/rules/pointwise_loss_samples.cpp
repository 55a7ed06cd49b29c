#include "tests/tensor/rules/samples.h"

#include <ATen/core/Reduction.h>

namespace shardlens {
namespace {

using Tensor = at::Tensor;
using Tensors = Sample::Tensors;

Sample near(std::string name, Tensors tensors, std::function<Tensors(const Tensors&)> call) {
  return {std::move(name), std::move(tensors), std::move(call), Sample::Terms::Tried,
          Sample::Match::Near};
}

// Adds a loss of two tensors and its gradient, for each reduction.
template <class Loss, class Gradient>
void addLoss(std::vector<Sample>& samples, const std::string& name, const Tensors& inputs,
             Loss loss, Gradient gradient) {
  for (const std::int64_t reduction :
       {at::Reduction::None, at::Reduction::Mean, at::Reduction::Sum}) {
    const auto which = name + " reduction " + std::to_string(reduction);
    samples.push_back(
        near(which, inputs, [=](const Tensors& t) { return Tensors{loss(t, reduction)}; }));
    const bool isNone = reduction == at::Reduction::None;
    const auto shape = loss(inputs, reduction).sizes().vec();
    Tensors backward{isNone ? wholeNumbers(shape, 2) : wholeNumbers({}, 2)};
    backward.insert(backward.end(), inputs.begin(), inputs.end());
    samples.push_back(near(which + " backward", backward, [=](const Tensors& t) {
      return Tensors{gradient(t[0], Tensors(t.begin() + 1, t.end()), reduction)};
    }));
  }
}

std::optional<Tensor> third(const Tensors& t) {
  return t.size() > 2 ? std::optional(t[2]) : std::nullopt;
}

void addMarginLosses(std::vector<Sample>& samples) {
  const auto x = wholeNumbers({5, 4}).div(100);
  const auto targets = at::arange(5).remainder(4);
  addLoss(
      samples, "multi_margin_loss weighted", {x, targets, wholeNumbers({4}, 1).abs()},
      [](auto& t, auto r) { return at::multi_margin_loss(t[0], t[1], 1, 1, t[2], r); },
      [](auto& dy, const auto& t, auto r) {
        return at::multi_margin_loss_backward(dy, t[0], t[1], 1, 1, t[2], r);
      });
  const auto labels = at::arange(20).reshape({5, 4}).remainder(5).sub(1);
  const auto isTarget = std::get<1>(at::multilabel_margin_loss_forward(x, labels, 0));
  addLoss(
      samples, "multilabel_margin_loss", {x, labels, isTarget},
      [](auto& t, auto r) {
        return std::get<0>(at::multilabel_margin_loss_forward(t[0], t[1], r));
      },
      [](auto& dy, const auto& t, auto r) {
        return at::multilabel_margin_loss_backward(dy, t[0], t[1], r, t[2]);
      });
}

}  // namespace

std::vector<Sample> pointwiseLossSamples() {
  const auto x = wholeNumbers({5, 4}).div(60);
  const auto y = wholeNumbers({5, 4}, 1).div(60);
  const auto probabilities = x.sigmoid();
  const auto answers = y.gt(0).to(at::kFloat);
  const auto weight = wholeNumbers({4}, 2).abs().div(12);
  std::vector<Sample> samples;
  addLoss(
      samples, "mse_loss", {x, y}, [](auto& t, auto r) { return at::mse_loss(t[0], t[1], r); },
      [](auto& dy, const auto& t, auto r) { return at::mse_loss_backward(dy, t[0], t[1], r); });
  addLoss(
      samples, "smooth_l1_loss", {x, y},
      [](auto& t, auto r) { return at::smooth_l1_loss(t[0], t[1], r, 0.5); },
      [](auto& dy, const auto& t, auto r) {
        return at::smooth_l1_loss_backward(dy, t[0], t[1], r, 0.5);
      });
  addLoss(
      samples, "huber_loss", {x, y},
      [](auto& t, auto r) { return at::huber_loss(t[0], t[1], r, 0.5); },
      [](auto& dy, const auto& t, auto r) {
        return at::huber_loss_backward(dy, t[0], t[1], r, 0.5);
      });
  addLoss(
      samples, "soft_margin_loss", {x, answers * 2 - 1},
      [](auto& t, auto r) { return at::soft_margin_loss(t[0], t[1], r); },
      [](auto& dy, const auto& t, auto r) {
        return at::soft_margin_loss_backward(dy, t[0], t[1], r);
      });
  addLoss(
      samples, "binary_cross_entropy weighted", {probabilities, answers, weight},
      [](auto& t, auto r) { return at::binary_cross_entropy(t[0], t[1], third(t), r); },
      [](auto& dy, const auto& t, auto r) {
        return at::binary_cross_entropy_backward(dy, t[0], t[1], third(t), r);
      });
  for (const std::int64_t r : {0, 1, 2}) {
    samples.push_back(near("binary_cross_entropy_with_logits reduction " + std::to_string(r),
                           {x, answers, weight}, [r](auto& t) {
                             return Tensors{
                                 at::binary_cross_entropy_with_logits(t[0], t[1], {}, t[2], r)};
                           }));
  }
  addMarginLosses(samples);
  samples.push_back(near("mse_loss of a row", {x, wholeNumbers({4}, 1)},
                         [](auto& t) { return Tensors{at::mse_loss(t[0], t[1])}; }));
  samples.push_back(near("mse_loss of fewer than ranks", {wholeNumbers({2}), wholeNumbers({2}, 1)},
                         [](auto& t) { return Tensors{at::mse_loss(t[0], t[1])}; }));
  return samples;
}

}  // namespace shardlens
