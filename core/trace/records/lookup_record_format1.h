#pragma once

#include "core/trace/records/lookup_record.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace shardlens {

// What the detail of a CacheLookup event says in a recording of format 1, where the texts of keys
// stood for entries.
struct LookupRecordFormat1 {
  std::string key = {};
  LookupRecord record = {};
  std::int64_t entries = 0;
  std::uint64_t age = 0;
  std::string nearest = {};  // of a miss: the key most like it
  bool kept = true;
  std::string evicts = {};  // the key of the entry that goes for it
};
LookupRecordFormat1 readLookupFormat1(std::string_view detail);

}  // namespace shardlens
