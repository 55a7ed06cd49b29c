#pragma once

#include "core/model/rank_ranges.h"
#include "core/trace/journal/journal.h"
#include "core/trace/records/collective_record.h"
#include "core/view/words/collective_wait.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shardlens::view {

// The role of a rank in an event.
enum class RankRole {
  None,  // the event has no roles
  Computes,
  Exchanges,   // sends and receives
  Sends,       // root: sends to its group; or sends a message to one rank
  Receives,    // gets data from a root, or the message of a send or recv
  TakesPart,   // member of a rooted collective whose root is not recorded
  Waits,       // in a collective that other ranks have not called
  Missing,     // did not call the collective
  CallsOther,  // called another collective than most members
  Outside,     // not a member
  Elsewhere,   // its process did not record the event
};
std::string_view roleText(RankRole role);       // "sends, receives"; "" for None
std::string_view shortRoleText(RankRole role);  // "send, recv"

// Computes roles per rank on demand, because a mesh may have millions of ranks. Copies what it
// needs from the journal.
class RankRoles {
 public:
  // Event 0 gives role None for all ranks.
  RankRoles(const Journal& journal, EventId event);
  RankRole of(int rank) const;  // any rank, also outside the mesh

 private:
  EventKind kind_ = EventKind::Step;
  RankRole usual_ = RankRole::None;       // role of members
  std::vector<int> roots_;                // ranks that send, ascending
  std::optional<MessageRecord> message_;  // of a send or recv
  std::vector<RankRange> members_;        // empty: all ranks
  std::vector<int> absent_;
  std::optional<CollectiveWait> wait_;
  std::vector<int> callsOther_;  // ascending
};

// Returns the device of a rank, "cuda:1", from the last 64 events up to `position`; "" if none
// names it.
std::string deviceNear(const Journal& journal, EventId position, int rank);

}  // namespace shardlens::view
