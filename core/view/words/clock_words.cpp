#include "core/view/words/clock_words.h"

#include "core/trace/merge/merged_parts.h"
#include "core/view/words/units.h"

#include <algorithm>
#include <set>

namespace shardlens::view {

std::string clocksText(const Journal& journal) {
  std::set<int> clocks;
  std::int64_t error = 0;
  for (const RankClock& each : rankClocks(journal)) {
    clocks.insert(each.clock);
    error = std::max(error, each.error);
  }
  if (clocks.size() <= 1) return "one clock for all ranks";
  const std::string count = std::to_string(clocks.size()) + " clocks";
  if (error >= EventPart::kUnknown) return count + " that cannot be compared: waiting is unknown";
  return count + ", compared within " + durationText(error);
}

}  // namespace shardlens::view
