#pragma once

#include "core/trace/journal/journal.h"

#include <unordered_map>

namespace shardlens {

// Converts events of format 4.0, which has routes, collectives and caches as texts, while they are
// loaded. All texts of the recording must be in the journal before the first event.
class UpgradeFromFormat4 {
 public:
  // Adds texts and routes to `journal`, which must outlive this object.
  explicit UpgradeFromFormat4(Journal& journal) : journal_(journal) {}

  // Adds metadata that format 4.0 has as part of other metadata.
  void upgradeMeta();
  // Returns the event as format 5.0 has it. Keeps the name of an event that does not follow the
  // notation of recordings.
  Event operator()(Event event);

 private:
  RouteId routeOf(StringId name);
  StringId detailOf(EventKind kind, StringId detail);
  StringId planDetailOf(StringId detail);
  StringId lookupDetailOf(StringId detail);
  StringId intern(const std::string& text);

  Journal& journal_;
  std::unordered_map<StringId, RouteId> routeOf_;    // by name
  std::unordered_map<std::string, RouteId> routes_;  // by text
  std::unordered_map<StringId, StringId> details_;   // the new details, by old one
};

}  // namespace shardlens
