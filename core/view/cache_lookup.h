#pragma once

#include "core/trace/records/lookup_record.h"
#include "core/trace/snapshot/snapshot.h"

#include <optional>
#include <string>

namespace shardlens::view {

// What a cache look-up found out.
struct CacheLookup {
  EventId event = 0;
  std::string table;  // "strategy", "plan"
  Verdict verdict = Verdict::None;
  int uses = 0;  // of a hit: how often its entry served before
  LookupRecord said = {};
  bool isCurrent = false;  // of the operator or redistribution that the current event happens in
};

// The newest look-up of a position; none where nothing has been looked up.
std::optional<CacheLookup> newestLookup(const Journal& journal, const Snapshot& snapshot);

}  // namespace shardlens::view
