#include "core/model/ranks_text.h"

#include "core/model/rank_ranges.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <utility>

namespace shardlens {

namespace {

constexpr int kMostRanks = 1 << 24;   // limit of a mesh
constexpr int kMostListed = 1 << 20;  // bounds the memory for a damaged text

std::vector<std::string_view> parts(std::string_view text, char separator) {
  std::vector<std::string_view> found;
  for (;;) {
    const auto end = text.find(separator);
    found.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return found;
    text.remove_prefix(end + 1);
  }
}

// Returns -1 if the text is not a rank.
int parseRank(std::string_view text) {
  int rank = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), rank);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  return whole && rank >= 0 && rank < kMostRanks ? rank : -1;
}

// `left` is the number of ranks that may still be listed; it is updated.
std::vector<int> parseGroup(std::string_view text, int& left) {
  std::vector<int> ranks;
  for (const auto part : parts(text, ',')) {
    const auto range = parseRankRange(part);
    if (!range || range->last - range->first >= left) continue;
    left -= range->last - range->first + 1;
    for (int rank = range->first; rank <= range->last; ++rank) ranks.push_back(rank);
  }
  return ranks;
}

// Returns the list in its order, with consecutive ascending ranks joined to ranges.
std::vector<RankRange> runsOf(const std::vector<int>& ranks) {
  std::vector<RankRange> runs;
  for (const int rank : ranks) {
    if (!runs.empty() && rank == runs.back().last + 1) {
      runs.back().last = rank;
    } else {
      runs.push_back({rank, rank});
    }
  }
  return runs;
}

}  // namespace

std::vector<std::vector<int>> parseRanks(std::string_view text) {
  std::vector<std::vector<int>> groups;
  if (text.empty()) return groups;
  int left = kMostListed;
  for (const auto part : parts(text, '|')) groups.push_back(parseGroup(part, left));
  return groups;
}

std::string ranksText(const std::vector<std::vector<int>>& groups) {
  std::string text;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (i != 0) text += '|';
    text += rangesText(runsOf(groups[i]));
  }
  return text;
}

std::optional<RankRange> parseRankRange(std::string_view text) {
  const auto dash = text.find('-');
  const int first = parseRank(text.substr(0, dash));
  const int last = dash == std::string_view::npos ? first : parseRank(text.substr(dash + 1));
  return first < 0 || last < first ? std::nullopt : std::optional(RankRange{first, last});
}

std::vector<RankRange> parseRankRanges(std::string_view text) {
  std::vector<RankRange> ranges;
  for (const auto group : parts(text, '|')) {
    for (const auto part : parts(group, ',')) {
      if (const auto range = parseRankRange(part)) ranges.push_back(*range);
    }
  }
  return united(std::move(ranges));
}

std::string rangesText(const std::vector<RankRange>& ranges) {
  std::string text;
  for (const auto& [first, last] : ranges) {
    if (!text.empty()) text += ',';
    text += std::to_string(first);
    if (last != first) text += (last - first < 2 ? ',' : '-') + std::to_string(last);
  }
  return text;
}

std::vector<RankRange> united(std::vector<RankRange> ranges) {
  std::sort(ranges.begin(), ranges.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<RankRange> apart;
  for (const auto& range : ranges) {
    if (!apart.empty() && range.first <= apart.back().last + 1) {
      apart.back().last = std::max(apart.back().last, range.last);
    } else {
      apart.push_back(range);
    }
  }
  return apart;
}

std::int64_t rankCount(const std::vector<RankRange>& ranges) {
  std::int64_t count = 0;
  for (const auto& range : ranges) count += std::int64_t{range.last} - range.first + 1;
  return count;
}

bool areMeeting(const std::vector<RankRange>& a, const std::vector<RankRange>& b) {
  for (auto left = a.begin(), right = b.begin(); left != a.end() && right != b.end();) {
    if (left->last < right->first) {
      ++left;
    } else if (right->last < left->first) {
      ++right;
    } else {
      return true;
    }
  }
  return false;
}

bool contains(const std::vector<RankRange>& ranges, int rank) {
  const auto after = std::upper_bound(ranges.begin(), ranges.end(), rank,
                                      [](int r, const auto& range) { return r < range.first; });
  return after != ranges.begin() && rank <= std::prev(after)->last;
}

}  // namespace shardlens
