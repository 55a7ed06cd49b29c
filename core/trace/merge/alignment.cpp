#include "core/trace/merge/alignment.h"

#include <algorithm>

namespace shardlens {

EventId Alignment::mergedOf(EventId part) const {
  if (part == 0) return 0;
  const IdRun run = runs_.atFrom(part);
  return run.to + (part - run.from);
}

EventId Alignment::newest(EventId merged) const {
  const IdRun run = runs_.atTo(merged);
  return run.length == 0 ? 0 : run.from + std::min(merged - run.to, run.length - 1);
}

EventId Alignment::partOf(EventId merged) const {
  const EventId part = newest(merged);
  return mergedOf(part) == merged ? part : 0;
}

}  // namespace shardlens
