#pragma once

#include "kernels/rows.h"

namespace shardlens::kernels {

// Cross entropy of rows of logits x whose classes may be cut among ranks. With a share u for each
// row i and class c,
//
//   u[i, c] = weight[c] * (hard * [c is the class of row i] + soft), or of probabilities p
//   u[i, c] = weight[c] * (hard * p[i, c] + soft), and 0 in a row that is ignored:
//
//   loss[i] = sum_c u[i, c] * (log sum_k exp(x[i, k]) - x[i, c]) = mass * log(sum) - dot, where
//   max = max_c x, sum = sum_c exp(x - max), mass = sum_c u, dot = sum_c u * (x - max)
//   dloss[i] / dx[i, c] = mass * exp(x - max) / sum - u
//
// Sums of shards add up once they are about the same maximum: what is left between the passes over
// the logits, and that is for ranks to agree on, are a few numbers a row.

// All classes that a rank has of some rows, row after row.
struct LogitShard {
  const void* data = nullptr;
  FloatType type = FloatType::Float32;
  std::int64_t classes = 0;
};

enum class TargetKind : std::uint8_t { Classes, Probabilities };

// What the rows should have been.
struct LossTarget {
  TargetKind kind = TargetKind::Classes;
  // The class of each row, counted along all classes, of which the shard has these, in this order.
  // Rows of the class `ignored` count for nothing.
  Ids ids;
  const RowRange* runs = nullptr;
  std::int64_t runCount = 0;
  std::int64_t ignored = 0;
  // Or of each row and class of the shard its probability, in the logits' type.
  const void* probabilities = nullptr;
  // Of each class of the shard, in the logits' type; null is 1.
  const void* weight = nullptr;
  double hard = 1;
  double soft = 0;
};

// Of each row; doubles where the logits are, else floats.
struct RowSums {
  void* max = nullptr;
  void* sum = nullptr;
  void* mass = nullptr;
  void* dot = nullptr;
};

// One pass over these rows of the shard. A row without classes has -inf, 0, 0, 0; one that is
// ignored is not looked at: 0, 1, 0, 0.
void sumRows(const LogitShard& shard, const LossTarget& target, RowRange rows, const RowSums& out);

// The gradient of the loss of each row, of the type of the sums; a stride of 0 is one for all.
struct LossGrads {
  const void* data = nullptr;
  std::int64_t stride = 1;
};

// One pass too, with the sums over all shards: the gradient of these rows of the shard, in its
// type. Rows that are ignored get 0.
void gradRows(const LogitShard& shard, const LossTarget& target, RowRange rows, const RowSums& sums,
              const LossGrads& grads, void* out);

}  // namespace shardlens::kernels
