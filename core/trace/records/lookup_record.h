#pragma once

#include <cstdint>
#include <optional>
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
// A field that differs from the nearest entry's.
struct LookupDifference {
  std::string field;
  std::string here;
  std::string there;
  bool operator==(const LookupDifference&) const = default;
};

// What the detail of a CacheLookup event says. Recordings before 1.2 have neither age nor verified,
// those before 1.4 neither kept nor evicts.
struct LookupRecord {
  std::string key = {};  // of an entry: what its question reads like
  std::vector<LookupField> fields = {};
  std::optional<std::int64_t> entries = {};  // that the cache has; none where it does not say
  std::optional<std::uint64_t> age = {};     // of a hit: look-ups since the entry was made
  bool verified = false;                     // a hit whose answer was found anew and compared
  std::string nearest = {};                  // of a miss: the key most like it
  std::vector<LookupDifference> differs = {};
  bool kept = true;         // of a miss: whether its answer is remembered
  std::string evicts = {};  // the key of the entry that goes for it
  bool operator==(const LookupRecord&) const = default;
};

std::string lookupDetail(const LookupRecord& lookup);
LookupRecord readLookup(std::string_view detail);

}  // namespace shardlens
