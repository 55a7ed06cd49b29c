#pragma once

#include "core/model/event.h"
#include "core/model/hash.h"

#include <cstddef>
#include <unordered_map>
#include <vector>

namespace shardlens {

// What events of different processes have in common if they match. Texts and routes are ids of
// the merged journal.
struct MatchKey {
  EventKind kind;
  Verdict verdict;
  std::int32_t meshDim;
  std::uint8_t subkind;
  StringId name;
  RouteId route;
  // Exact: a numbered collective, by its group and number. Numbered: any numbered collective.
  // Unnumbered: any other event.
  enum class Number { Exact, Numbered, Unnumbered } number = Number::Unnumbered;
  StringId group = 0;          // of Exact only
  std::uint32_t sequence = 0;  // of Exact only

  bool operator==(const MatchKey&) const = default;
};

struct MatchKeyHash {
  std::size_t operator()(const MatchKey& key) const {
    Hasher hasher;
    hasher.mix(static_cast<int>(key.kind));
    hasher.mix(static_cast<int>(key.verdict));
    hasher.mix(key.meshDim);
    hasher.mix(key.subkind);
    hasher.mix(key.name);
    hasher.mix(key.route);
    hasher.mix(static_cast<int>(key.number));
    hasher.mix(key.group);
    hasher.mix(key.sequence);
    return hasher.value();
  }
};

// An index of the events that one process records in one step, from an event on that it has not
// merged. The merge extends it as far as it has to look ahead.
struct StepIndex {
  StepIndex() = default;
  // Indexes nothing yet, but events of `step` from `first` on later.
  StepIndex(int step, EventId first) : step(step), end(first) {}

  int step = -1;
  EventId end = 1;          // the first event that is not indexed
  bool isComplete = false;  // all events of the step are indexed
  std::unordered_map<MatchKey, std::vector<EventId>, MatchKeyHash> events;  // ascending ids
};

}  // namespace shardlens
