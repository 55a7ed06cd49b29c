#include "core/view/cache_lookup.h"

#include "core/view/decisions.h"

namespace shardlens::view {

std::optional<CacheLookup> newestLookup(const Journal& journal, const Snapshot& snapshot) {
  for (EventId id = snapshot.position; id > 0; --id) {
    const Event& event = journal.at(id);
    if (event.kind != EventKind::CacheLookup) continue;
    const EventId call = currentCall(journal, snapshot.position);
    return CacheLookup{.event = id,
                       .table = std::string(journal.name(event)),
                       .verdict = event.verdict,
                       .uses = event.count,
                       .said = readLookup(journal.detail(event)),
                       .isCurrent = call != 0 && currentCall(journal, id) == call};
  }
  return std::nullopt;
}

}  // namespace shardlens::view
