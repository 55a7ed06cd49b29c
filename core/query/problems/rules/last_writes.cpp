#include "core/query/problems/rules/last_writes.h"

#include "core/model/step_number.h"
#include "core/query/language/event_around.h"
#include "core/view/words/names.h"
#include "core/view/words/place_text.h"

#include <fmt/core.h>

namespace shardlens {

namespace {

// Returns "event 12 (train.py:9, step 1)".
std::string writeText(const Journal& journal, EventId id) {
  const Event event = journal.at(id);
  std::string where = view::placeText(journal, event);
  if (event.step >= 0) {
    where += fmt::format("{}step {}", where.empty() ? "" : ", ", stepNumber(event.step));
  }
  return fmt::format("event {}{}", journal.numberOf(id), where.empty() ? "" : " (" + where + ")");
}

std::string writesText(const Journal& journal, const ValueRecord& one, const ValueRecord& other) {
  return fmt::format("; {} was last written by {} on rank {}, by {} on rank {}",
                     view::tensorName(journal, one.tensor), writeText(journal, one.event), one.rank,
                     writeText(journal, other.event), other.rank);
}

}  // namespace

EventId makerOf(const Journal& journal, EventId id) {
  const EventId move = aroundOf(journal, id, EventKind::Redistribute);
  return move != 0 ? move : aroundOf(journal, id, EventKind::Operator);
}

std::vector<TensorId> inputsOf(const Journal& journal, EventId id) {
  const EventId maker = makerOf(journal, id);
  if (maker == 0) return {};
  const Event event = journal.at(maker);
  if (event.kind == EventKind::Redistribute) return {event.subject};
  return journal.inputs(maker);
}

std::string lastWritesText(const Journal& journal, EventId id, const ValueRecord& odd,
                           const ValueRecord& usual) {
  if (odd.event != usual.event) return writesText(journal, odd, usual);
  std::string text;
  for (const TensorId input : inputsOf(journal, id)) {
    const auto one = journal.value(input, odd.rank, id);
    const auto other = journal.value(input, usual.rank, id);
    if (!one || !other || one->event == id) continue;
    if (one->event != other->event) return writesText(journal, *one, *other);
    text += fmt::format("; {} was last written by {}", view::tensorName(journal, input),
                        writeText(journal, one->event));
  }
  return text;
}

}  // namespace shardlens
