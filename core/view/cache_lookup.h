#pragma once

#include "core/trace/journal/journal.h"
#include "core/trace/records/lookup_record.h"
#include "core/trace/snapshot/snapshot.h"

#include <optional>
#include <string>
#include <vector>

namespace shardlens::view {

// A field in which a question differs from the nearest entry's.
struct KeyDifference {
  std::string field;
  std::string here;
  std::string there;
  bool operator==(const KeyDifference&) const = default;
};

// What a cache look-up found out.
struct CacheLookup {
  EventId event = 0;
  std::string table = {};  // "strategy", "plan"
  Verdict verdict = Verdict::None;
  std::int64_t entries = 0;  // that the cache had
  std::string key = {};      // what the question reads like
  // Of a hit: how often its entry served, and how many look-ups there were since it was made.
  int uses = 0;
  std::uint32_t age = 0;
  bool verified = false;  // its answer was found anew and compared
  // Of a miss: the key most like it, empty where none is, and what differs.
  std::string nearest = {};
  std::vector<KeyDifference> differs = {};
};
CacheLookup cacheLookupAt(const Journal& journal, EventId event);

}  // namespace shardlens::view
