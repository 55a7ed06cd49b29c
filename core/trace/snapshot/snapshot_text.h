#pragma once

#include "core/trace/snapshot/snapshot.h"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace shardlens {

// A snapshot as a person reads it: what happened, the tensors with each rank's values, the mask
// buffers, the caches. Long shards are cut short.
std::string toText(const Journal& journal, const Snapshot& snapshot);

// The same for programs, whole (FORMAT.md spells it out). Not-a-number and the infinities are
// "nan", "inf", "-inf".
nlohmann::ordered_json snapshotJson(const Journal& journal, const Snapshot& snapshot);

}  // namespace shardlens
