#pragma once

#include "core/trace/records/lookup_record.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace shardlens {

// The detail of a CacheLookup event in format 1, in which key texts identify entries.
struct LookupRecordFormat1 {
  std::string key = {};
  LookupRecord record = {};
  std::int64_t entries = 0;
  std::uint64_t age = 0;
  std::string nearest = {};  // miss: the most similar key
  bool kept = true;
  std::string evicts = {};  // the key of the entry that is evicted for it
};
// Missing or malformed members keep their defaults.
LookupRecordFormat1 readLookupFormat1(std::string_view detail);

}  // namespace shardlens
