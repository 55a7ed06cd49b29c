#include "core/trace/journal.h"

#include <charconv>

namespace shardlens {

namespace {

constexpr int kMostRanks = 1 << 20;  // a damaged text must not ask for all memory

std::vector<std::string_view> parts(std::string_view text, char separator) {
  std::vector<std::string_view> found;
  for (;;) {
    const auto end = text.find(separator);
    found.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return found;
    text.remove_prefix(end + 1);
  }
}

// -1 where it is no rank.
int parseRank(std::string_view text) {
  int rank = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), rank);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  return whole && rank >= 0 && rank < kMostRanks ? rank : -1;
}

std::vector<int> parseGroup(std::string_view text) {
  std::vector<int> ranks;
  for (const auto part : parts(text, ',')) {
    const auto dash = part.find('-');
    const int first = parseRank(part.substr(0, dash));
    const int last = dash == std::string_view::npos ? first : parseRank(part.substr(dash + 1));
    if (first < 0) continue;
    for (int rank = first; rank <= last; ++rank) ranks.push_back(rank);
  }
  return ranks;
}

// Three or more in a row are a range: "0-3", but "0,1".
std::string groupText(const std::vector<int>& ranks) {
  std::string text;
  for (std::size_t i = 0; i < ranks.size();) {
    std::size_t last = i;
    while (last + 1 < ranks.size() && ranks[last + 1] == ranks[last] + 1) ++last;
    if (last - i < 2) last = i;
    if (i != 0) text += ',';
    text += std::to_string(ranks[i]);
    if (last != i) text += '-' + std::to_string(ranks[last]);
    i = last + 1;
  }
  return text;
}

}  // namespace

std::vector<std::vector<int>> parseRanks(std::string_view text) {
  std::vector<std::vector<int>> groups;
  if (text.empty()) return groups;
  for (const auto part : parts(text, '|')) groups.push_back(parseGroup(part));
  return groups;
}

std::string ranksText(const std::vector<std::vector<int>>& groups) {
  std::string text;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (i != 0) text += '|';
    text += groupText(groups[i]);
  }
  return text;
}

}  // namespace shardlens
