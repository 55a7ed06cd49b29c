#pragma once

#include "core/trace/journal/journal.h"
#include "core/trace/records/lookup_record.h"
#include "core/trace/snapshot/snapshot.h"
#include "core/view/words/placement_words.h"

#include <optional>
#include <string>
#include <vector>

namespace shardlens::view {

// A key field that differs from the nearest entry's.
struct KeyDifference {
  std::string field;
  std::string here;   // value in the looked-up key
  std::string there;  // value in the nearest entry's key
  bool operator==(const KeyDifference&) const = default;
};

// The details of a CacheLookup event.
struct CacheLookup {
  EventId event = 0;
  std::string table = {};  // "strategy", "plan"
  Verdict verdict = Verdict::None;
  std::int64_t entries = 0;  // size of the cache before the lookup
  std::string key = {};      // the key as text
  // Hit only: hits of the entry, this one included, and lookups since it was made.
  int uses = 0;
  std::uint32_t age = 0;
  bool verified = false;  // Hit only: the answer was recomputed and compared
  // Miss and Off: the key was compared with those of the entries. False in a job, whose recorder
  // cannot read the keys in torch's caches.
  bool isCompared = true;
  // Miss and Off: the most similar key ("" if none), and the fields that differ. Empty if the keys
  // have different numbers of fields.
  std::string nearest = {};
  std::vector<KeyDifference> differs = {};
};
// Returns the key of the cache entry that the miss `made` created, as text. "" if not recorded.
std::string placedKey(const Journal& journal, EventId made, Notation notation);
// Reads a CacheLookup event. Requires an event of that kind.
CacheLookup cacheLookupAt(const Journal& journal, EventId event,
                          Notation notation = Notation::DTensor);

}  // namespace shardlens::view
