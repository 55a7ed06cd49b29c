#include "core/view/words/event_words.h"

#include "core/model/byte_count.h"
#include "core/model/rank_ranges.h"
#include "core/model/step_operators.h"
#include "core/trace/events/event_names.h"
#include "core/trace/journal/tensor_ranks.h"
#include "core/view/words/collective_wait.h"
#include "core/view/words/names.h"
#include "core/view/words/units.h"

#include <fmt/core.h>

namespace shardlens::view {
namespace {

// Returns true if the event contains a collective.
bool hasCollective(const Journal& journal, EventId id) {
  for (EventId inner = id + 1; inner <= journal.size() && journal.at(inner).parent >= id; ++inner) {
    if (journal.at(inner).kind == EventKind::Collective) return true;
  }
  return false;
}

EventWords lookupWords(const std::string& table, const Event& event) {
  const auto title = table + " cache";
  if (event.verdict == Verdict::Hit) return {title, "hit", Tone::Good};
  if (event.verdict == Verdict::Miss) return {title, "miss", Tone::Warn};
  return {title, "off", Tone::Quiet};
}

EventWords redistributeWords(const Journal& journal, EventId id, Notation notation) {
  const Event& event = journal.at(id);
  const auto change = PlacementWords(journal, event.subject, notation).route(journal, event);
  return {"redistribute " + truncated(tensorName(journal, event.subject)) + ": " +
              shortened(truncated(change)),
          event.verdict == Verdict::Implicit ? "implicit" : "explicit",
          isImplicitCommunication(journal, id) ? Tone::Bad : Tone::Quiet};
}

EventWords maskWords(const Event& event, const char* what) {
  return {fmt::format("mask #{} {}", event.subject, what),
          "refcount " + std::to_string(event.count), Tone::Strong};
}

EventWords computeWords(const Journal& journal, const Event& event, const std::string& what) {
  const auto ranks = rankCount(parseRankRanges(journal.text(event.ranks)));
  return {what, ranks > 0 ? plural(ranks, "rank") : "", Tone::Quiet};
}

EventWords resultWords(const Journal& journal, const Event& event, Notation notation) {
  const auto title = "result " + truncated(tensorName(journal, event.subject));
  if (event.subject == 0 || event.subject > journal.tensors()) return {title};
  const TensorRecord tensor = journal.tensor(event.subject);
  const std::string placed = shortened(PlacementWords(journal, notation).of(tensor));
  return {placed.empty() ? title : title + ": " + placed, tensorText(tensor), Tone::Quiet};
}

EventWords checkWords(const Event& event, const std::string& result) {
  const auto title = "check of " + result;
  if (event.verdict == Verdict::Same) return {title, "matches plain torch", Tone::Good};
  if (event.verdict == Verdict::Differs) return {title, "differs", Tone::Bad};
  return {title, "not checked", Tone::Warn};
}

EventWords wordsOf(const Journal& journal, EventId id, Notation notation) {
  const Event& event = journal.at(id);
  const std::string name = truncated(journal.name(event));
  switch (event.kind) {
    case EventKind::Step:
      if (!recordsOperators(event)) return {name, "operators not recorded", Tone::Quiet};
      [[fallthrough]];
    case EventKind::Operator:
      return {name, event.bytes > 0 ? byteCountText(event.bytes) : "", Tone::Quiet};
    case EventKind::CacheLookup:
      return lookupWords(name, event);
    case EventKind::CacheEvicted:
      return {name + " cache", "evicts an entry", Tone::Quiet};
    case EventKind::Candidates:
      return {"chose " + name};
    case EventKind::Redistribute:
      return redistributeWords(journal, id, notation);
    case EventKind::Plan:
      return {"plan " +
              shortened(truncated(
                  PlacementWords::ofPlan(journal, event, notation).route(journal, event)))};
    case EventKind::Collective:
      return {collectiveText(journal, event), sentBytesText(journal, event), Tone::Strong};
    case EventKind::MaskMaterialized:
      return maskWords(event, "materialized");
    case EventKind::MaskApplied:
      if (event.related == 0) return {fmt::format("mask #{} applied", event.subject)};
      return {fmt::format("mask #{} applied to {}", event.subject,
                          truncated(tensorName(journal, event.related)))};
    case EventKind::MaskReleased:
      return maskWords(event, "released");
    case EventKind::Compute:
      return computeWords(journal, event, name);
    case EventKind::Result:
      return resultWords(journal, event, notation);
    case EventKind::Check:
      return checkWords(event, name);
    case EventKind::Error:
      return {name, "", Tone::Bad};
  }
  return {name};
}

// Returns absentRanks(); for a collective, only members of its groups.
std::vector<int> absentMembers(const Journal& journal, EventId id) {
  const Event event = journal.at(id);
  return event.kind == EventKind::Collective && event.ranks != 0 ? missingMembers(journal, id)
                                                                 : absentRanks(journal, id);
}

}  // namespace

EventWords eventWords(const Journal& journal, EventId id, Notation notation) {
  EventWords words = wordsOf(journal, id, notation);
  if (const auto wait = collectiveWait(journal, id)) {
    words.note = waitNote(journal, *wait);
    words.tone = Tone::Bad;
  } else if (const auto absent = absentMembers(journal, id); !absent.empty()) {
    words.note = "without " + ranksLabel(absent);
    // Another pipeline stage or role runs other operators, which is no fault.
    const EventKind kind = journal.at(id).kind;
    const bool isFault = kind == EventKind::Collective || kind == EventKind::Error;
    words.tone = isFault ? Tone::Bad : Tone::Quiet;
  }
  return words;
}

std::string_view eventIcon(const Event& event) {
  if (event.kind == EventKind::CacheLookup) {
    return event.verdict == Verdict::Hit ? "cache_hit" : "cache_miss";
  }
  if (event.kind == EventKind::CacheEvicted) return "cache_miss";
  if (event.verdict == Verdict::Differs) return "error";
  return event.kind == EventKind::Candidates ? "candidates" : kindLabel(event.kind);
}

bool isImplicitCommunication(const Journal& journal, EventId id) {
  const Event& event = journal.at(id);
  return event.kind == EventKind::Redistribute && event.verdict == Verdict::Implicit &&
         hasCollective(journal, id);
}

}  // namespace shardlens::view
