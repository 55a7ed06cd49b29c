#include "ui/models/lookup_words.h"

#include "core/trace/records/lookup_record.h"
#include "ui/models/decisions.h"
#include "ui/text/format.h"

namespace shardlens {
LookupWords lookupWords(const Journal& journal, EventId id) {
  const Event& event = journal.at(id);
  const LookupRecord lookup = readLookup(journal.detail(event));
  LookupWords words;
  words.event = id;
  words.table = toQString(journal.name(event));
  words.key = wholeText(lookup.key);
  words.hit = event.verdict == Verdict::Hit;
  words.off = event.verdict == Verdict::Off;
  words.earlierUses = event.count;
  words.age = static_cast<int>(lookup.age.value_or(0));
  words.nearest = wholeText(lookup.nearest);
  for (const LookupDifference& one : lookup.differs) {
    words.differs.push_back({wholeText(one.field), wholeText(one.here), wholeText(one.there)});
  }
  return words;
}

std::optional<LookupWords> newestLookup(const Journal& journal, const Snapshot& snapshot) {
  for (EventId id = snapshot.position; id > 0; --id) {
    if (journal.at(id).kind != EventKind::CacheLookup) {
      continue;
    }
    LookupWords words = lookupWords(journal, id);
    const EventId call = currentCall(journal, snapshot.position);
    words.isCurrent = call != 0 && currentCall(journal, id) == call;
    return words;
  }
  return std::nullopt;
}

}  // namespace shardlens
