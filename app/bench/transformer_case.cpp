#include "app/bench/transformer_case.h"

#include "core/tensor/dispatch/make_runtime.h"
#include "core/tensor/distribute.h"
#include "core/tensor/redistribute/redistribute.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include <cmath>

namespace shardlens {
namespace {

at::Tensor reduced(const at::Tensor& partials) { return redistribute(partials, {Replicate{}}); }

}  // namespace

TransformerCase::TransformerCase(const Size& size)
    : size_(size), runtime_(makeSimulatedRuntime(DeviceMesh::make({kRanks}, {"tp"}).value())) {
  const auto width = size.width, hidden = 4 * width;
  for (int i = 0; i < 4; ++i) norms_.push_back(weight({width}, Replicate{}));
  for (int i = 0; i < 3; ++i) inward_.push_back(weight({width, width}, Shard{0}));
  outward_ = weight({width, width}, Shard{1});
  up_ = weight({hidden, width}, Shard{0});
  upBias_ = weight({hidden}, Shard{0});
  down_ = weight({width, hidden}, Shard{1});
  x_ = distributed(at::randn({size.length, width}), Replicate{});
}

at::Tensor TransformerCase::distributed(const at::Tensor& whole, Placement placement) const {
  return distribute(runtime_, whole, {std::move(placement)});
}

at::Tensor TransformerCase::weight(at::IntArrayRef shape, Placement placement) {
  weights_.push_back(
      distributed(at::randn(shape).mul(0.02), std::move(placement)).requires_grad_());
  return weights_.back();
}

at::Tensor TransformerCase::normalized(const at::Tensor& x, int norm) const {
  return at::layer_norm(x, {size_.width}, norms_[2 * norm], norms_[2 * norm + 1]);
}

at::Tensor TransformerCase::attended(const at::Tensor& h) const {
  const auto& [length, width, heads] = size_;
  std::vector<at::Tensor> by;
  for (const auto& weight : inward_) {
    by.push_back(at::linear(h, weight).view({length, heads, -1}).transpose(0, 1));
  }
  const double scale = std::sqrt(static_cast<double>(heads) / static_cast<double>(width));
  const auto scores = at::bmm(by[0], by[1].transpose(1, 2)).mul(scale);
  const auto joined = at::bmm(at::softmax(scores, -1), by[2]).transpose(0, 1);
  return at::linear(joined.reshape({length, width}), outward_);
}

at::Tensor TransformerCase::loss() const {
  auto x = x_ + reduced(attended(normalized(x_, 0)));
  const auto hidden = at::gelu(at::linear(normalized(x, 1), up_, upBias_));
  x = x + reduced(at::linear(hidden, down_));
  return (x * x).mean();
}

void TransformerCase::step() {
  loss().backward();
  const c10::NoGradGuard noGrad;
  for (auto& weight : weights_) {
    weight.sub_(weight.grad(), 0.01);
    weight.mutable_grad() = at::Tensor();
  }
}

}  // namespace shardlens
