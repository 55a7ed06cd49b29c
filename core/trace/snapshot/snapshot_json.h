#pragma once

#include "core/trace/journal/journal.h"
#include "core/trace/snapshot/snapshot.h"

#include <nlohmann/json_fwd.hpp>

namespace shardlens {

// A snapshot for programs, whole (FORMAT.md spells it out). Not-a-number and the infinities are
// "nan", "inf", "-inf".
nlohmann::ordered_json snapshotJson(const Journal& journal, const Snapshot& snapshot);

}  // namespace shardlens
