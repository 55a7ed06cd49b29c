#include "core/query/problems/rank_ends.h"

#include "core/trace/journal/tensor_ranks.h"
#include "core/trace/merge/merged_parts.h"

#include <algorithm>
#include <initializer_list>

namespace shardlens {

namespace {

bool hasAnyText(std::string_view message, std::initializer_list<std::string_view> texts) {
  return std::ranges::any_of(
      texts, [&](auto text) { return message.find(text) != std::string_view::npos; });
}

}  // namespace

RankEnd endOf(const Journal& journal, int rank) {
  constexpr EventId kSearched = 4096;
  RankEnd end{.last = lastEventOf(journal, rank)};
  if (end.last != 0 && journal.at(end.last).kind == EventKind::Error) end.error = end.last;
  for (EventId id = end.last; id > 0 && end.last - id < kSearched && end.call == 0; --id) {
    if (journal.at(id).kind != EventKind::Error && journal.part(id, rank)) end.call = id;
  }
  return end;
}

bool isInUnmatchedCollective(const Journal& journal, const RankEnd& end) {
  return end.call != 0 && !missingMembers(journal, end.call).empty();
}

bool hasRaised(const Journal& journal, const RankEnd& end) {
  if (end.error == 0) return false;
  const std::string_view message = journal.name(journal.at(end.error));
  return !isOfLostPeer(message) && !isOfTimeout(message) && !isOfExit(message);
}

bool isOfLostPeer(std::string_view message) {
  return hasAnyText(message, {"Connection closed by peer", "Connection reset by peer",
                              "Broken pipe", "remote process exited"});
}

bool isOfTimeout(std::string_view message) {
  return hasAnyText(message, {"Timed out waiting", "timed out waiting", "Application timeout",
                              "collective operation timeout"});
}

bool isOfExit(std::string_view message) {
  return message.starts_with("KeyboardInterrupt") || message.starts_with("SystemExit");
}

}  // namespace shardlens
