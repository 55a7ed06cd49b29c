#pragma once

#include "core/inference/graph.h"

#include <string_view>

namespace shardlens {

// Replaces each foreach operator by the operators on its tensors: aten._foreach_mul_ of two tensors
// by two aten.mul_.
void splitForeach(PlainGraph& graph);

// Returns true for an operator that copies tensors into a buffer, or a buffer into tensors, in an
// order of its own: those of FSDP2, "fsdp.chunk_cat".
bool isPacking(std::string_view name);

// Gives packing operators only what they read as inputs, and all that they wrote as outputs, also
// what they wrote through another tensor.
void findPacking(PlainGraph& graph);

// Finds the dimensions of all_gathers, reduce_scatters and all_to_alls. Their operators work on
// dimension 0 or on a list of tensors; programs then rearrange the parts:
//
//   all_gather, split in n along 0, cat along 1    gathers along 1
//   all_gather to a list, cat along 1              gathers along 1
//   split in n along 1, cat along 0, reduce_scatter scatters along 1
//   split in n along 0, all_to_all, cat along 1    moves a shard from 1 to 0
//   reduce_scatter, split in n, copy_ of one part  scatters: Gloo's, which sums in a buffer
//
// The collective then has the input or the output of the whole sequence.
void joinParts(PlainGraph& graph);

}  // namespace shardlens
