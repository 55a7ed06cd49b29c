#pragma once

#include "core/model/event.h"
#include "core/model/hash.h"

namespace shardlens {

// What matching events of different processes have in common, besides the enclosing event or, for a
// numbered collective, its number. Texts and routes are ids of the merged journal.
struct EventKey {
  EventKind kind;
  Verdict verdict;
  std::int32_t meshDim;
  std::uint8_t subkind;
  StringId name;
  RouteId route;
  std::uint32_t place =
      0;  // module and line of the call site, by JournalMerge; 0: unknown, or a Step
  bool isNumbered = false;  // a collective with a sequence number
  StringId group = 0;       // of a numbered collective; 0 if it spans several groups
  StringId ranks = 0;       // of a numbered collective
  std::int32_t late = 0;    // steps by which the event is behind an earlier one of its process

  bool operator==(const EventKey&) const = default;
};

struct EventKeyHash {
  std::size_t operator()(const EventKey& key) const {
    Hasher hasher;
    hasher.mix(static_cast<int>(key.kind) << 16U | static_cast<int>(key.verdict) << 8U |
               key.subkind);
    hasher.mix(key.meshDim);
    hasher.mix(std::uint64_t{key.name} << 32U | key.route);
    hasher.mix(std::uint64_t{key.place} << 32U | key.group);
    hasher.mix(std::uint64_t{key.ranks} << 1U | static_cast<unsigned>(key.isNumbered));
    hasher.mix(key.late);
    return hasher.value();
  }
};

}  // namespace shardlens
