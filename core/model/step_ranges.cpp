#include "core/model/step_ranges.h"

#include "core/model/step_number.h"

#include <fmt/core.h>

#include <algorithm>

namespace shardlens {

std::optional<std::vector<RankRange>> parseSteps(std::string_view text) {
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const auto range = parseRankRange(text.substr(begin, end - begin));
    if (!range || range->first == 0) return std::nullopt;
    begin = end + 1;
  }
  return stepIndexes(text);
}

std::string stepRangesText(const std::vector<RankRange>& steps) {
  std::string text;
  for (const auto& [first, last] : steps) {
    text += fmt::format("{}{}", text.empty() ? "" : ",", stepNumber(first));
    if (last >= kLastStep) {
      text += " and later";
    } else if (last != first) {
      text += fmt::format("-{}", stepNumber(last));
    }
  }
  return text;
}

}  // namespace shardlens
