#include "core/view/caches_table.h"

#include "core/trace/snapshot/cache_key.h"

#include <fmt/core.h>

namespace shardlens::view {
namespace {

Row rowOf(const Journal& journal, const char* name, const CacheEntry& entry, EventId position) {
  const bool hit = journal.at(entry.lastUse).verdict == Verdict::Hit;
  const std::string key = cacheKey(journal, entry.made);
  return {.cells = {{name},
                    {key},
                    {.text = std::to_string(entry.hits), .number = entry.hits},
                    {.text = hit ? "hit" : "miss", .tone = hit ? Tone::Good : Tone::Warn}},
          .tooltip = fmt::format("{}\nmade at event {}, last used at event {}", key, entry.made,
                                 entry.lastUse),
          .event = entry.lastUse,
          .marked = entry.lastUse == position};
}

}  // namespace

Table cachesTable(const Journal& journal, const Snapshot& snapshot) {
  Table table{.columns = {{"table"},
                          {.title = "key", .beginsAlike = true},
                          {"hits", Align::Right},
                          {"last", Align::Right}},
              .rows = {}};
  const auto add = [&](const char* name, const CacheState& cache) {
    for (const auto& entry : cache.entries) {
      table.rows.push_back(rowOf(journal, name, entry, snapshot.position));
    }
  };
  add("strategy", snapshot.strategyCache);
  add("plan", snapshot.planCache);
  return table;
}

}  // namespace shardlens::view
