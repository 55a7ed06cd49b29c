#pragma once

namespace shardlens {

// Has at::cross_entropy_loss of sharded tensors computed where the logits lie, also where their
// classes are cut: two all-reduces of a few numbers a row agree on what the softmax needs, and the
// gradient needs none. libtorch would compose it of a log-softmax, for which the classes would have
// to be gathered.
//
//   reduction none: the rows lie as those of the logits; sum: a term on each rank that has rows of
//   its own; mean: whole.
void registerCrossEntropy();

}  // namespace shardlens
