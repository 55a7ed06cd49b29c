#include "core/trace/journal/span_children.h"

#include "core/trace/journal/tensor_ranks.h"

#include <algorithm>
#include <limits>

namespace shardlens {
namespace {

// Returns the time from which no event can be inside the span. If threads do not interleave,
// returns the minimum: the first event outside ends the span.
std::int64_t overAt(const Journal& journal, EventId span) {
  if (span == 0 || !isImported(journal)) return std::numeric_limits<std::int64_t>::min();
  const Event event = journal.at(span);
  return event.duration == Event::kRunning ? std::numeric_limits<std::int64_t>::max()
                                           : event.time + event.duration;
}

}  // namespace

SpanChildren childrenOf(const Journal& journal, EventId span, EventId after, EventId last) {
  SpanChildren children{{}, last};
  const std::int64_t over =
      after == span ? overAt(journal, span) : std::numeric_limits<std::int64_t>::min();
  for (EventId id = after + 1; id <= last; ++id) {
    const Event event = journal.at(id);
    if (event.parent == span) {
      children.events.push_back(id);
    } else if (event.parent <= after && event.time >= over) {
      children.end = id - 1;
      break;
    }
  }
  return children;
}

bool hasChildren(const Journal& journal, EventId span, EventId last) {
  const std::int64_t over = overAt(journal, span);
  for (EventId id = span + 1; id <= last; ++id) {
    const Event event = journal.at(id);
    if (event.parent == span || event.time >= over) return event.parent == span;
  }
  return false;
}

std::vector<EventId> insideOf(const Journal& journal, EventId span, EventId last) {
  const std::int64_t over = overAt(journal, span);
  std::vector<EventId> inside;
  for (EventId id = span + 1; id <= last; ++id) {
    const Event event = journal.at(id);
    if (event.parent == span || std::ranges::binary_search(inside, event.parent)) {
      inside.push_back(id);
    } else if (event.time >= over) {
      break;
    }
  }
  return inside;
}

}  // namespace shardlens
