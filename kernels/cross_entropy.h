#pragma once

#include "kernels/rows.h"

namespace shardlens::kernels {

// Cross entropy of rows of logits x whose classes may be sharded over ranks. With a share u for
// each row i and class c,
//
//   u[i, c] = weight[c] * (hard * [c is the class of row i] + soft), or of probabilities p
//   u[i, c] = weight[c] * (hard * p[i, c] + soft), and 0 in a row that is ignored:
//
//   loss[i] = sum_c u[i, c] * (log sum_k exp(x[i, k]) - x[i, c]) = mass * log(sum) - dot, where
//   max = max_c x, sum = sum_c exp(x - max), mass = sum_c u, dot = sum_c u * (x - max)
//   dloss[i] / dx[i, c] = mass * exp(x - max) / sum - u
//
// The sums of shards can be added once they refer to the same maximum. Between the two passes,
// ranks exchange only a few numbers per row.

// The classes that one rank has of some rows: row-major, `classes` elements per row.
struct LogitShard {
  const void* data = nullptr;
  FloatType type = FloatType::Float32;
  std::int64_t classes = 0;
};

// Whether a target consists of class indices or of probabilities.
enum class TargetKind : std::uint8_t { Classes, Probabilities };

// The target: class indices or probabilities, and the weights in the formula above. Does not own
// the memory.
struct LossTarget {
  TargetKind kind = TargetKind::Classes;
  // For TargetKind::Classes: the class index of each row, counted over all classes. `runs` are the
  // ranges of classes that the shard has, in its order. Rows of class `ignored` contribute nothing.
  Ids ids;
  const RowRange* runs = nullptr;
  std::int64_t runCount = 0;
  std::int64_t ignored = 0;
  // For TargetKind::Probabilities: the probability of each row and class of the shard, in the
  // logits' type.
  const void* probabilities = nullptr;
  // The weight of each class of the shard, in the logits' type; null means 1.
  const void* weight = nullptr;
  double hard = 1;
  double soft = 0;
};

// One number of each kind per row, in double for double logits, else in float.
struct RowSums {
  void* max = nullptr;
  void* sum = nullptr;
  void* mass = nullptr;
  void* dot = nullptr;
};

// Computes the sums of these rows of the shard in one pass. All arrays are indexed by row from the
// start of the shard. A row without classes gets -inf, 0, 0, 0. An ignored row is not read and gets
// 0, 1, 0, 0. Runs on the calling thread and allocates nothing.
void sumRows(const LogitShard& shard, const LossTarget& target, RowRange rows, const RowSums& out);

// The gradient of each row's loss, in the type of the sums. A stride of 0 uses one value for all
// rows.
struct LossGrads {
  const void* data = nullptr;
  std::int64_t stride = 1;
};

// Computes d(loss)/d(logits) of these rows of the shard in one pass, from the sums over all shards.
// `out` has the shape and type of the shard and must not overlap it. Ignored rows get 0.
void gradRows(const LogitShard& shard, const LossTarget& target, RowRange rows, const RowSums& sums,
              const LossGrads& grads, void* out);

}  // namespace shardlens::kernels
