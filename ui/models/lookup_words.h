#pragma once

#include "core/trace/snapshot/snapshot.h"

#include <QString>
#include <optional>
#include <vector>

namespace shardlens {

// What a cache look-up found out.
struct LookupWords {
  EventId event = 0;
  QString table;
  QString key;
  bool hit = false;
  bool off = false;
  bool isCurrent = true;  // of the operator or redistribution that the current event happens in
  int earlierUses = 0;
  int age = 0;      // of a hit: look-ups since the entry was made
  QString nearest;  // of a miss: the entry most like it
  struct Difference {
    QString field, here, there;
  };
  std::vector<Difference> differs;
};

LookupWords lookupWords(const Journal& journal, EventId lookup);

// The newest look-up of a position.
std::optional<LookupWords> newestLookup(const Journal& journal, const Snapshot& snapshot);

}  // namespace shardlens
