#include "core/query/problems/rank_ends.h"

#include "core/model/rank_ranges.h"
#include "core/trace/journal/tensor_ranks.h"
#include "core/trace/merge/merged_parts.h"

#include <algorithm>
#include <initializer_list>
#include <map>

namespace shardlens {

namespace {

bool hasAnyText(std::string_view message, std::initializer_list<std::string_view> texts) {
  return std::ranges::any_of(
      texts, [&](auto text) { return message.find(text) != std::string_view::npos; });
}

// Returns the ranks of the group of `rank` in a collective of several groups, "0,1|2,3".
std::vector<RankRange> groupOfRank(std::string_view groups, int rank) {
  while (!groups.empty()) {
    const std::size_t length = std::min(groups.find('|'), groups.size());
    auto group = parseRankRanges(groups.substr(0, length));
    if (contains(group, rank)) return group;
    groups.remove_prefix(std::min(length + 1, groups.size()));
  }
  return {};
}

}  // namespace

RankEnd endOf(const Journal& journal, int rank) {
  RankEnd end{.last = lastEventOf(journal, rank), .call = lastCallOf(journal, rank)};
  if (end.last != 0 && journal.at(end.last).kind == EventKind::Error) end.error = end.last;
  if (end.call != 0) end.missing = missingMembers(journal, end.call);
  if (!end.missing.empty()) {
    const auto group = groupOfRank(journal.text(journal.at(end.call).ranks), rank);
    std::erase_if(end.missing, [&](int other) { return !contains(group, other); });
  }
  return end;
}

EventId firstStopOf(const Journal& journal) {
  if (journal.firstError() == 0 || !journal.isMerged() || isImported(journal)) return 0;
  std::map<int, RankEnd> ends;  // by rank
  for (const int rank : hostedRanks(journal)) ends.emplace(rank, endOf(journal, rank));
  EventId raised = 0, raisedWaiting = 0, left = 0;
  const auto putFirst = [](EventId& first, EventId id) {
    if (id != 0 && (first == 0 || id < first)) first = id;
  };
  for (const auto& [rank, end] : ends) {
    if (hasRaised(journal, end)) putFirst(end.missing.empty() ? raised : raisedWaiting, end.error);
    if (end.error == 0) continue;
    for (const int other : end.missing) {
      if (const RankEnd& missed = ends.at(other); missed.missing.empty()) {
        putFirst(left, missed.call);
      }
    }
  }
  return raised != 0 ? raised : raisedWaiting != 0 ? raisedWaiting : left;
}

bool hasRaised(const Journal& journal, const RankEnd& end) {
  if (end.error == 0) return false;
  const std::string_view message = journal.name(journal.at(end.error));
  return !isOfLostPeer(message) && !isOfTimeout(message) && !isOfExit(message);
}

bool isOfLostPeer(std::string_view message) {
  return hasAnyText(message,
                    {"Connection closed by peer", "Connection reset by peer", "Broken pipe",
                     "remote process exited", "Connection was likely closed"});
}

bool isOfTimeout(std::string_view message) {
  return hasAnyText(message, {"Timed out waiting", "timed out waiting", "Application timeout",
                              "collective operation timeout"});
}

bool isOfExit(std::string_view message) {
  return message.starts_with("KeyboardInterrupt") || message.starts_with("SystemExit");
}

}  // namespace shardlens
