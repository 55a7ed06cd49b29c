#pragma once

#include "core/trace/journal/journal.h"
#include "core/trace/snapshot/snapshot.h"

#include <string>

namespace shardlens::view {

// A snapshot as a person reads it: what happened, the tensors with each rank's values, the mask
// buffers, the caches. Long shards are cut short.
std::string snapshotText(const Journal& journal, const Snapshot& snapshot);
// What each rank holds of a tensor at a position, a line a rank.
std::string valuesText(const Journal& journal, TensorId id, EventId position);

}  // namespace shardlens::view
