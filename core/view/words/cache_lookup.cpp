#include "core/view/words/cache_lookup.h"

#include "core/base/text.h"
#include "core/view/words/placement_words.h"

namespace shardlens::view {
namespace {

using Fields = std::vector<LookupField>;

// Returns no differences if the keys have different numbers of fields.
std::vector<KeyDifference> differing(const PlacementWords& words, const Fields& here,
                                     const Fields& there) {
  std::vector<KeyDifference> list;
  if (here.size() != there.size()) return list;
  for (std::size_t i = 0; i < here.size(); ++i) {
    if (here[i].value == there[i].value) continue;
    list.push_back({here[i].name, words.inKey(here[i].value), words.inKey(there[i].value)});
  }
  return list;
}

std::string keyIn(const PlacementWords& words, const Fields& fields) {
  std::vector<std::string> texts;
  for (const LookupField& field : fields) texts.push_back(words.inKey(field.value));
  return joined(texts);
}

}  // namespace

std::string placedKey(const Journal& journal, EventId made, Notation notation) {
  if (made == 0) return {};
  return keyIn(PlacementWords(journal, notation),
               readLookup(journal.detail(journal.at(made))).fields);
}

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
  const PlacementWords words(journal, notation);
  const Fields fields = readLookup(journal.detail(event)).fields;
  lookup.key = keyIn(words, fields);
  lookup.isCompared = !journal.meta("backend").starts_with("DTensor");
  if (event.subject == 0) return lookup;
  const Fields nearest = readLookup(journal.detail(journal.at(event.subject))).fields;
  lookup.nearest = keyIn(words, nearest);
  lookup.differs = differing(words, fields, nearest);
  return lookup;
}

}  // namespace shardlens::view
