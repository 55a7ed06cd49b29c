#include "core/trace/journal/event_text.h"

#include "core/trace/journal/tensor_ranks.h"

#include <array>

namespace shardlens {

namespace {

constexpr std::array<std::string_view, kEventKinds> kKindNames = {
    "Step",       "Operator",         "CacheLookup", "Candidates",   "Redistribute", "Plan",
    "Collective", "MaskMaterialized", "MaskApplied", "MaskReleased", "Compute",      "Result",
    "Error"};

constexpr std::array<std::string_view, kVerdicts> kVerdictNames = {"",    "Hit",      "Miss",
                                                                   "Off", "Implicit", "Explicit"};

bool isOfBuffer(EventKind kind) {
  return kind == EventKind::MaskMaterialized || kind == EventKind::MaskApplied ||
         kind == EventKind::MaskReleased;
}

}  // namespace

std::string_view kindName(EventKind kind) { return kKindNames.at(static_cast<std::size_t>(kind)); }

std::string_view verdictName(Verdict verdict) {
  return kVerdictNames.at(static_cast<std::size_t>(verdict));
}

std::string eventText(const Journal& journal, EventId id) {
  const Event& event = journal.at(id);
  std::string text(kindName(event.kind));
  const auto add = [&text](std::string_view word) {
    if (!word.empty()) text.append(" ").append(word);
  };
  add(journal.name(event));
  add(verdictName(event.verdict));
  if (event.kind == EventKind::Collective) {
    if (const auto axis = axisOf(journal, event); !axis.empty()) add("over " + axis);
  }
  add(journal.text(event.ranks));
  if (event.bytes != 0) add(std::to_string(event.bytes) + " bytes");
  if (isOfBuffer(event.kind)) {
    add("buffer " + std::to_string(event.subject));
    if (event.kind != EventKind::MaskApplied) add("refcount " + std::to_string(event.count));
  }
  return text;
}

bool hasCollective(const Journal& journal, EventId id) {
  for (EventId inner = id + 1; inner <= journal.size() && journal.at(inner).parent >= id; ++inner) {
    if (journal.at(inner).kind == EventKind::Collective) return true;
  }
  return false;
}

}  // namespace shardlens
