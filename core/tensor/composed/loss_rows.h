#pragma once

#include "core/comm/communicator.h"
#include "core/tensor/layout/loss_layout.h"

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace shardlens {

// What a loss is asked for, as libtorch passes it.
struct LossOptions {
  std::int64_t reduction = 0;
  std::int64_t ignored = -100;
  double smoothing = 0;
  bool probabilities = false;  // whether the target is some, rather than classes
};

// The sharded tensors of a loss, lying as its layout says. The weight, where there is one, is whole
// on every rank.
struct LossTensors {
  at::Tensor logits;
  at::Tensor target;
  at::Tensor weight;
};

// What each hosted rank knows of its rows, over all classes; see kernels/cross_entropy.h.
struct LossSums {
  Buffers max;    // [rows]
  Buffers terms;  // [3, rows]: sum, dot, mass
};

// In a pass over the logits, and two all-reduces where classes are cut.
LossSums lossSums(const LossTensors& tensors, const LossOptions& options, const LossLayout& layout);

// The loss of each row.
Buffers rowLosses(const LossSums& sums);

// For classes as target: the weight of each row's, 0 where it is ignored.
Buffers rowWeights(const LossTensors& tensors, const LossOptions& options);

// The gradient of each rank's logits, of one for the loss of each of its rows, or of all of them.
Buffers logitGradients(const LossTensors& tensors, const LossOptions& options, const LossSums& sums,
                       const Buffers& gradients);

}  // namespace shardlens
