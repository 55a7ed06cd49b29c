#pragma once

#include "core/comm/communicator.h"
#include "core/tensor/layout/loss_layout.h"

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace shardlens {

// The arguments of a loss as libtorch passes them.
struct LossOptions {
  std::int64_t reduction = 0;   // an at::Reduction value
  std::int64_t ignored = -100;  // rows of this class are ignored
  double smoothing = 0;         // label smoothing, 0 to 1
  bool probabilities = false;   // the target holds class probabilities, not class indices
};

// The sharded tensors of a loss, placed as in its LossLayout. The weight is replicated, or
// undefined.
struct LossTensors {
  at::Tensor logits;
  at::Tensor target;
  at::Tensor weight;
};

// The sums of each hosted rank's rows, over all classes; see kernels/cross_entropy.h.
struct LossSums {
  Buffers max;    // [rows]
  Buffers terms;  // [3, rows]: sum, dot, mass
};

// Computes the sums in one pass over the logits. If classes are sharded, two all-reduces combine
// them.
LossSums lossSums(const LossTensors& tensors, const LossOptions& options, const LossLayout& layout);

// Returns the loss of each row, per hosted rank.
Buffers rowLosses(const LossSums& sums);

// Returns the class weight of each row's target, per hosted rank: 1 without weights, 0 for an
// ignored row. Requires class indices.
Buffers rowWeights(const LossTensors& tensors, const LossOptions& options);

// Returns d(loss)/d(logits) per hosted rank. A rank's `gradients` hold one value per row, or one
// scalar for all rows.
Buffers logitGradients(const LossTensors& tensors, const LossOptions& options, const LossSums& sums,
                       const Buffers& gradients);

}  // namespace shardlens
