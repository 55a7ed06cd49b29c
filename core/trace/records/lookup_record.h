#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace shardlens {

// A field of the question that a cache was asked: "arg 0" is "f32[10, 3](S(0))".
struct LookupField {
  std::string name;
  std::string text;
  bool operator==(const LookupField&) const = default;
};

// What the detail of a CacheLookup event says. A hit asks what its entry was made for: its question
// stands with the miss that made the entry.
struct LookupRecord {
  std::vector<LookupField> fields = {};  // of a miss, or of a cache that is off
  bool verified = false;                 // a hit whose answer was found anew and compared
  bool operator==(const LookupRecord&) const = default;
};

std::string lookupDetail(const LookupRecord& lookup);
LookupRecord readLookup(std::string_view detail);

// What a question reads like: its fields after one another.
std::string keyText(const std::vector<LookupField>& fields);

}  // namespace shardlens
