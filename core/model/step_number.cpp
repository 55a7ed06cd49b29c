#include "core/model/step_number.h"

namespace shardlens {

std::vector<RankRange> stepIndexes(std::string_view text) {
  auto ranges = parseRankRanges(text);
  if (!ranges.empty() && ranges.front().first == 0) return {};
  for (auto& [first, last] : ranges) {
    --first;
    --last;
  }
  return ranges;
}

}  // namespace shardlens
