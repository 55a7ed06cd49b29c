#pragma once

#include "core/inference/graph.h"

namespace shardlens {

// Finds the dimensions of all_gathers and reduce_scatters. Their operators work on dimension 0 or
// on a list of tensors; programs then rearrange the parts:
//
//   all_gather, split in n along 0, cat along 1    gathers along 1
//   all_gather to a list, cat along 1              gathers along 1
//   split in n along 1, cat along 0, reduce_scatter scatters along 1
//
// The collective then has the input or the output of the whole sequence.
void joinParts(PlainGraph& graph);

}  // namespace shardlens
