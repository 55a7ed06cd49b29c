#include "core/view/words/cache_lookup.h"

#include "core/view/words/placed_records.h"

namespace shardlens::view {
namespace {

using Fields = std::vector<LookupField>;

// Returns no differences if the keys have different numbers of fields.
std::vector<KeyDifference> differing(const Fields& here, const Fields& there) {
  std::vector<KeyDifference> list;
  if (here.size() != there.size()) return list;
  for (std::size_t i = 0; i < here.size(); ++i) {
    if (here[i].text != there[i].text) list.push_back({here[i].name, here[i].text, there[i].text});
  }
  return list;
}

}  // namespace

CacheLookup cacheLookupAt(const Journal& journal, EventId id, Notation notation) {
  const Event& event = journal.at(id);
  CacheLookup lookup{.event = id,
                     .table = std::string(journal.name(event)),
                     .verdict = event.verdict,
                     .entries = event.bytes};
  if (event.verdict == Verdict::Hit) {
    lookup.key = placedKey(journal, event.subject, notation);
    lookup.uses = event.count;
    lookup.age = event.related;
    lookup.verified = readLookup(journal.detail(event)).verified;
    return lookup;
  }
  const Fields fields = placedLookup(journal, event, notation).fields;
  lookup.key = keyText(fields);
  if (event.subject == 0) return lookup;
  const Fields nearest = placedLookup(journal, journal.at(event.subject), notation).fields;
  lookup.nearest = keyText(nearest);
  lookup.differs = differing(fields, nearest);
  return lookup;
}

}  // namespace shardlens::view
