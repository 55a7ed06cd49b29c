#pragma once

#include "core/trace/journal/journal.h"
#include "core/trace/snapshot/snapshot.h"

#include <string>

namespace shardlens::view {

// A snapshot as a person reads it: what happened, the tensors with each rank's values, the mask
// buffers, the caches. Long shards are cut short.
std::string snapshotText(const Journal& journal, const Snapshot& snapshot);

}  // namespace shardlens::view
