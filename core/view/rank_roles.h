#pragma once

#include "core/model/rank_ranges.h"
#include "core/trace/journal/journal.h"
#include "core/view/collective_wait.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shardlens::view {

// What a rank does in an event.
enum class RankRole {
  None,  // the event is of no rank in particular
  Computes,
  Exchanges,  // sends what it has, and receives
  Sends,      // has what the others of its group receive
  Receives,
  TakesPart,  // one of its group sends; the recording does not say which
  Waits,      // for others that have not come
  Missing,    // its process did not come
  Outside,
};
std::string_view roleText(RankRole role);       // "sends, receives"; empty for None
std::string_view shortRoleText(RankRole role);  // "send, recv"

// Asked for one rank at a time: a mesh may have millions.
class RankRoles {
 public:
  RankRoles(const Journal& journal, EventId event);
  RankRole of(int rank) const;

 private:
  EventKind kind_ = EventKind::Step;
  RankRole usual_ = RankRole::None;  // of its members
  std::vector<int> roots_;           // members that send, ascending
  std::vector<RankRange> members_;   // none: all ranks
  std::vector<int> absent_;
  std::optional<CollectiveWait> wait_;
};

// The device that a rank computes on, "cuda:1", as far as the events shortly before a position say;
// empty where they do not.
std::string deviceNear(const Journal& journal, EventId position, int rank);

}  // namespace shardlens::view
