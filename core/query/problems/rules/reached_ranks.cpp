#include "core/query/problems/rules/reached_ranks.h"

#include <algorithm>
#include <charconv>
#include <string_view>

namespace shardlens {
namespace {

// Returns the number at the beginning of a text, or -1.
int numberAt(std::string_view text) {
  int number = -1;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

}  // namespace

void ReachedRanks::add(int rank, EventId since) {
  if (ranks_.empty()) seen_ = since;
  ranks_.insert(rank);
}

void ReachedRanks::spread(const Journal& journal, EventId until) {
  if (ranks_.empty()) return;
  while (seen_ + 1 < until) {
    const Event event = journal.at(++seen_);
    if (event.kind == EventKind::Collective) spread(journal, event);
  }
}

void ReachedRanks::spread(const Journal& journal, const Event& event) {
  const std::string_view group = journal.text(event.group);
  if (const auto arrow = group.find("->"); arrow != std::string_view::npos) {  // a send or a recv
    if (contains(numberAt(group))) ranks_.insert(numberAt(group.substr(arrow + 2)));
    return;
  }
  for (const auto& members : groups_.of(journal, event)) {
    if (std::ranges::any_of(members, [this](int rank) { return contains(rank); })) {
      ranks_.insert(members.begin(), members.end());
    }
  }
}

}  // namespace shardlens
