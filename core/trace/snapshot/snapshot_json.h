#pragma once

#include "core/trace/journal/journal.h"
#include "core/trace/snapshot/snapshot.h"

#include <nlohmann/json_fwd.hpp>

namespace shardlens {

// Returns the whole snapshot as JSON (FORMAT.md, "A snapshot"), with all captured values. NaN and
// the infinities are "nan", "inf", "-inf".
nlohmann::ordered_json snapshotJson(const Journal& journal, const Snapshot& snapshot);

}  // namespace shardlens
