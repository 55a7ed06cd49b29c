#include "core/imports/placement_texts.h"

#include <array>
#include <utility>

namespace shardlens {

std::string shortPlacements(std::string_view text) {
  constexpr std::array kWords = {
      std::pair<std::string_view, std::string_view>{"Shard(dim=", "S("},
      std::pair<std::string_view, std::string_view>{"Replicate()", "R"},
      std::pair<std::string_view, std::string_view>{"Partial(", "P("},
      std::pair<std::string_view, std::string_view>{",)", ")"},
  };
  std::string all;
  while (!text.empty()) {
    std::size_t taken = 0;
    for (const auto& [python, ours] : kWords) {
      if (taken != 0 || !text.starts_with(python)) continue;
      all += ours;
      taken = python.size();
    }
    if (taken == 0) all += text[taken++];
    text.remove_prefix(taken);
  }
  // Remove the parentheses around a single placement.
  const bool isOne = all.starts_with('(') && all.find(", ") == std::string::npos;
  return isOne && all.ends_with(')') ? all.substr(1, all.size() - 2) : all;
}

std::optional<Placements> placementsOf(std::string_view text) {
  Placements placements;
  while (!text.empty()) {
    // A placement ends at the parenthesis that closes its first one; "R" has none.
    std::size_t end = 1;
    if (text.front() != 'R') {
      end = text.find('(');
      int depth = 0;
      for (; end < text.size(); ++end) {
        depth += text[end] == '(' ? 1 : text[end] == ')' ? -1 : 0;
        if (depth == 0) break;
      }
      if (end >= text.size()) return std::nullopt;
      ++end;
    }
    const auto placement = parsePlacement(text.substr(0, end));
    if (!placement) return std::nullopt;
    placements.push_back(*placement);
    text.remove_prefix(end);
  }
  return placements;
}

}  // namespace shardlens
