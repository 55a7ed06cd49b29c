#include "core/trace/records/limits_record.h"

#include "core/model/ranks_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace shardlens {

namespace {

// A line, and the processes and ranks that have it.
struct Limit {
  std::string text;
  std::size_t processes = 0;
  std::vector<int> ranks = {};
};

}  // namespace

std::vector<std::string> readLimits(std::string_view text) {
  std::vector<std::string> all;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (end > 0) all.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return all;
}

std::string mergedLimits(
    const std::vector<std::pair<std::vector<int>, std::string_view>>& processes) {
  std::vector<Limit> all;
  for (const auto& [ranks, limits] : processes) {
    for (std::string& text : readLimits(limits)) {
      auto known = std::ranges::find(all, text, &Limit::text);
      if (known == all.end()) known = all.insert(known, Limit{std::move(text)});
      ++known->processes;
      known->ranks.insert(known->ranks.end(), ranks.begin(), ranks.end());
    }
  }
  std::vector<std::string> lines;
  for (Limit& limit : all) {
    std::ranges::sort(limit.ranks);
    lines.push_back(limit.processes == processes.size()
                        ? limit.text
                        : fmt::format("{} (rank{} {})", limit.text,
                                      limit.ranks.size() == 1 ? "" : "s",
                                      ranksText({limit.ranks})));
  }
  return fmt::format("{}", fmt::join(lines, "\n"));
}

}  // namespace shardlens
