#pragma once

#include "core/trace/journal/journal.h"
#include "core/trace/snapshot/snapshot.h"
#include "core/view/words/placement_words.h"

#include <string>

namespace shardlens::view {

// Returns a snapshot as text: the open events, tensors with each rank's values, mask buffers and
// caches. Shows the first 64 elements of a shard.
std::string snapshotText(const Journal& journal, const Snapshot& snapshot,
                         Notation notation = Notation::DTensor);
// Returns the values of a tensor on each rank at a position, one line per rank; statistics if
// elements were not captured.
std::string valuesText(const Journal& journal, TensorId id, EventId position);

}  // namespace shardlens::view
