#include "core/view/words/early_end.h"

#include "core/model/rank_ranges.h"
#include "core/trace/journal/tensor_ranks.h"
#include "core/trace/merge/merged_parts.h"
#include "core/view/words/event_words.h"
#include "core/view/words/names.h"

#include <algorithm>

namespace shardlens::view {

std::optional<EarlyEnd> earlyEndOf(const Journal& journal, int rank) {
  constexpr EventId kSearched = 1024;
  if (journal.firstError() == 0 || !journal.isMerged() || isImported(journal)) return std::nullopt;
  const EventId last = lastEventOf(journal, rank);
  const auto part = last == 0 ? std::nullopt : journal.part(last, rank);
  if (!part || part->duration == Event::kRunning) return std::nullopt;
  EarlyEnd end{.time = part->time + part->duration};
  if (journal.at(last).kind == EventKind::Error) end.error = last;
  const EventId call = lastCallOf(journal, rank);
  const EventId searched = call + std::min(kSearched, journal.size() - call);
  for (EventId id = call + 1; id <= searched && end.missed == 0; ++id) {
    if (journal.at(id).kind != EventKind::Collective) continue;
    const auto members = parseRankRanges(journal.text(journal.at(id).ranks));
    if (contains(members, rank)) end.missed = id;
  }
  return end.missed == 0 ? std::nullopt : std::optional(end);
}

std::string earlyEndText(const Journal& journal, const EarlyEnd& end) {
  const std::string how =
      end.error == 0 ? "ended"
                     : "raised " + std::string(truncated(journal.name(journal.at(end.error))));
  return how + "; did not call " + collectiveText(journal, journal.at(end.missed));
}

}  // namespace shardlens::view
