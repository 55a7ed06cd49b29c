#include "core/view/tables/caches_table.h"

#include "core/view/words/cache_lookup.h"
#include "core/view/words/placement_words.h"

#include <fmt/core.h>

namespace shardlens::view {
namespace {

Row rowOf(const Journal& journal, const char* name, const CacheHistory& cache,
          const CacheEntry& entry, Notation notation) {
  const bool hit = entry.lastUse != entry.made;
  const int misses = cache.missesOf(entry.made);
  const std::int64_t size = journal.at(entry.made).bytes;
  const std::string key = placedKey(journal, entry.made, notation);
  return {.cells = {{name},
                    {key},
                    {.text = std::to_string(entry.hits), .number = entry.hits},
                    {.text = std::to_string(misses), .number = misses},
                    {.text = std::to_string(size), .number = static_cast<double>(size)},
                    {.text = std::to_string(entry.made), .number = entry.made},
                    {.text = std::to_string(entry.lastUse), .number = entry.lastUse},
                    {.text = hit ? "hit" : "miss", .tone = hit ? Tone::Good : Tone::Warn}},
          .tooltip = fmt::format(
              "{}\nmade at event {}, when the cache had {}; last used at event {}", key, entry.made,
              size == 1 ? "1 entry" : std::to_string(size) + " entries", entry.lastUse),
          .event = entry.lastUse};
}

// Returns the index of the entry made at `made`, if it was last used at `position`. Binary search.
std::optional<std::size_t> placeOf(const States<CacheEntry>& entries, EventId made,
                                   EventId position) {
  std::size_t first = 0;
  for (std::size_t end = entries.size(); first < end;) {
    const std::size_t middle = first + (end - first) / 2;
    entries[middle].made < made ? first = middle + 1 : end = middle;
  }
  const bool isThere =
      first < entries.size() && entries[first].made == made && entries[first].lastUse == position;
  return isThere ? std::optional(first) : std::nullopt;
}

std::optional<std::size_t> markedPlace(const Journal& journal, const Snapshot& snapshot) {
  if (snapshot.position == 0 || snapshot.newestLookup != snapshot.position) return std::nullopt;
  const Event event = journal.at(snapshot.position);
  const EventId made = event.verdict == Verdict::Hit ? event.subject : snapshot.position;
  const auto& first = snapshot.strategyCache.entries;
  if (event.cache() == CacheTable::Strategy) return placeOf(first, made, snapshot.position);
  const auto place = placeOf(snapshot.planCache.entries, made, snapshot.position);
  return place ? std::optional(first.size() + *place) : std::nullopt;
}

// Rows change only with lookups, with the number of entries, and with the notation.
std::vector<std::uint64_t> versionOf(const Journal& journal, const Snapshot& snapshot,
                                     Notation notation) {
  std::vector<std::uint64_t> version{reinterpret_cast<std::uintptr_t>(&journal),
                                     static_cast<std::uint64_t>(notation)};
  for (const auto* cache : {&snapshot.strategyCache, &snapshot.planCache}) {
    version.push_back(static_cast<std::uint64_t>(cache->hits));
    version.push_back(static_cast<std::uint64_t>(cache->misses));
    version.push_back(cache->entries.size());
  }
  return version;
}

}  // namespace

Table cachesTable(const Journal& journal, const Snapshot& snapshot, Notation notation) {
  const auto& strategies = snapshot.strategyCache.entries;
  const auto& plans = snapshot.planCache.entries;
  const auto at = [&journal, strategies, plans, histories = snapshot.histories,
                   notation](std::size_t place) {
    const std::size_t plan = place - strategies.size();
    return place < strategies.size()
               ? rowOf(journal, "strategy", histories->strategyCache, strategies[place], notation)
               : rowOf(journal, "plan", histories->planCache, plans[plan], notation);
  };
  return {.columns = {{"table"},
                      {.title = "key", .beginsAlike = true},
                      {"hits", Align::Right},
                      {"misses", Align::Right},
                      {"size when made", Align::Right},
                      {"first use", Align::Right},
                      {"last use", Align::Right},
                      {"last", Align::Right}},
          .rows = Rows(Rows::Source{.size = strategies.size() + plans.size(),
                                    .at = at,
                                    .marked = markedPlace(journal, snapshot),
                                    .version = versionOf(journal, snapshot, notation)})};
}

}  // namespace shardlens::view
