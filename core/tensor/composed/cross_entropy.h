#pragma once

namespace shardlens {

// Registers cross_entropy_loss for sharded logits, which stay where they are, also if classes are
// sharded. Two all-reduces of a few numbers per row combine the softmax sums of the ranks; backward
// needs none. libtorch would compose a log-softmax instead, which needs whole classes on each rank.
//
// Placements of the result. Reduction none: those of the logits' rows. sum: Partial along mesh
// dimensions that shard rows. mean: Replicate; with probabilities as target, as for sum.
void registerCrossEntropy();

}  // namespace shardlens
