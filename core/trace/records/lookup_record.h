#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace shardlens {

// A field of a cache key as text: "arg 0" is "f32[10, 3](S(0))".
struct LookupField {
  std::string name;
  std::string text;
  bool operator==(const LookupField&) const = default;
};

// The detail of a CacheLookup event. A hit has no fields; its key is recorded with the miss that
// created the entry.
struct LookupRecord {
  std::vector<LookupField> fields = {};  // of a miss, or of a lookup in a disabled cache
  bool verified = false;                 // a hit whose answer was recomputed and compared
  bool operator==(const LookupRecord&) const = default;
};

// Convert a record to and from the JSON of the detail, "" for an empty record. Reading skips
// malformed members.
std::string lookupDetail(const LookupRecord& lookup);
LookupRecord readLookup(std::string_view detail);

// Returns the key as text: the texts of its fields, without their names, joined with ", ".
std::string keyText(const std::vector<LookupField>& fields);

}  // namespace shardlens
