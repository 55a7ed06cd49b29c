#pragma once

#include "core/tensor/runtime.h"

#include <ATen/core/Tensor.h>

#include <memory>
#include <vector>

namespace shardlens {

// A transformer layer as tensor-parallel training has it, on ranks that are simulated in this
// process: attention by heads and an MLP, each cut by columns and then by rows, with norms before
// and residuals around them. One long sequence, so that heads are a dimension that ranks can cut.
// peers/recording.py trains the same.
class TransformerCase {
 public:
  static constexpr int kRanks = 4;

  struct Size {
    std::int64_t length, width, heads;
  };

  explicit TransformerCase(const Size& size);

  const std::shared_ptr<Runtime>& runtime() const { return runtime_; }
  // Forward, backward through autograd, and a step of plain gradient descent.
  void step();

 private:
  at::Tensor laid(const at::Tensor& whole, Placement placement) const;
  at::Tensor weight(at::IntArrayRef shape, Placement placement);
  at::Tensor normalized(const at::Tensor& x, int norm) const;
  at::Tensor attended(const at::Tensor& h) const;
  at::Tensor loss() const;

  Size size_;
  std::shared_ptr<Runtime> runtime_;
  std::vector<at::Tensor> weights_;  // all of those below
  std::vector<at::Tensor> norms_;    // scale and bias of each
  std::vector<at::Tensor> inward_;   // query, key and value
  at::Tensor outward_, up_, upBias_, down_;
  at::Tensor x_;
};

}  // namespace shardlens
