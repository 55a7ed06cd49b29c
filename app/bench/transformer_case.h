#pragma once

#include "core/tensor/runtime.h"

#include <ATen/core/Tensor.h>

#include <memory>
#include <vector>

namespace shardlens {

// A tensor-parallel transformer layer on four simulated ranks: attention sharded by heads, and an
// MLP. Each is column-wise and then row-wise parallel, with a norm before and a residual around it.
// The input is one sequence without a batch dimension. The class Transformer in peers/recording.py
// trains the same layer.
class TransformerCase {
 public:
  static constexpr int kRanks = 4;

  struct Size {
    std::int64_t length, width, heads;
  };

  explicit TransformerCase(const Size& size);

  const std::shared_ptr<Runtime>& runtime() const { return runtime_; }
  // Runs forward, backward and a step of gradient descent without momentum.
  void step();

 private:
  at::Tensor distributed(const at::Tensor& whole, Placement placement) const;
  at::Tensor weight(at::IntArrayRef shape, Placement placement);
  at::Tensor normalized(const at::Tensor& x, int norm) const;
  at::Tensor attended(const at::Tensor& h) const;
  at::Tensor loss() const;

  Size size_;
  std::shared_ptr<Runtime> runtime_;
  std::vector<at::Tensor> weights_;  // all of the weights below
  std::vector<at::Tensor> norms_;    // scale and bias of the two norms, in turn
  std::vector<at::Tensor> inward_;   // query, key and value
  at::Tensor outward_, up_, upBias_, down_;
  at::Tensor x_;
};

}  // namespace shardlens
