#include "core/view/words/rank_roles.h"

#include "core/trace/journal/tensor_ranks.h"
#include "core/trace/merge/merged_parts.h"

#include <algorithm>

namespace shardlens::view {
namespace {

// All members of these collectives send and receive. The others have a root.
RankRole roleIn(CollectiveKind collective) {
  switch (collective) {
    case CollectiveKind::AllGather:
    case CollectiveKind::AllReduce:
    case CollectiveKind::AllToAll:
    case CollectiveKind::HaloExchange:
    case CollectiveKind::ReduceScatter:
      return RankRole::Exchanges;
    default:
      return RankRole::TakesPart;
  }
}

// Returns the `number`-th member, from 0, of a group like "0,2" or "0-3"; -1 if there is none.
int memberOf(std::string_view group, std::int64_t number) {
  while (!group.empty()) {
    const auto end = std::min(group.find(','), group.size());
    const auto range = parseRankRanges(group.substr(0, end));
    const std::int64_t count = rankCount(range);
    if (number < count) return range.front().first + static_cast<int>(number);
    number -= count;
    group.remove_prefix(std::min(end + 1, group.size()));
  }
  return -1;
}

// Returns the `number`-th member of each group.
std::vector<int> membersOf(std::string_view groups, int number) {
  std::vector<int> members;
  while (number >= 0 && !groups.empty()) {
    const auto end = std::min(groups.find('|'), groups.size());
    members.push_back(memberOf(groups.substr(0, end), number));
    groups.remove_prefix(std::min(end + 1, groups.size()));
  }
  std::sort(members.begin(), members.end());
  return members;
}

}  // namespace

std::string_view roleText(RankRole role) {
  switch (role) {
    case RankRole::Computes:
      return "computes";
    case RankRole::Exchanges:
      return "sends, receives";
    case RankRole::Sends:
      return "sends";
    case RankRole::Receives:
      return "receives";
    case RankRole::TakesPart:
      return "takes part";
    case RankRole::Waits:
      return "waits";
    case RankRole::Missing:
      return "never arrived";
    case RankRole::CallsOther:
      return "called another";
    case RankRole::Outside:
      return "not a member";
    case RankRole::Elsewhere:
      return "not in this event";
    case RankRole::None:
      break;
  }
  return {};
}

std::string_view shortRoleText(RankRole role) {
  switch (role) {
    case RankRole::Exchanges:
      return "send, recv";
    case RankRole::TakesPart:
      return "in it";
    case RankRole::Missing:
      return "absent";
    case RankRole::CallsOther:
      return "other call";
    case RankRole::Elsewhere:
      return "not in it";
    default:
      return roleText(role);
  }
}

RankRoles::RankRoles(const Journal& journal, EventId event) {
  if (event == 0) return;
  const Event it = journal.at(event);
  kind_ = it.kind;
  absent_ = absentRanks(journal, event);
  if (kind_ == EventKind::Collective) {
    usual_ = roleIn(it.collective());
    wait_ = collectiveWait(journal, event);
    if (wait_ && wait_->instead != 0) callsOther_ = ranksAtFault(journal, *wait_);
    message_ = readMessage(journal.name(it));
    if (const auto root = readCollective(journal.detail(it)).root) {
      usual_ = RankRole::Receives;
      roots_ = membersOf(journal.text(it.ranks), *root);
    }
  } else if (kind_ == EventKind::Compute) {
    usual_ = RankRole::Computes;
  }
  if (usual_ != RankRole::None) members_ = parseRankRanges(journal.text(it.ranks));
}

RankRole RankRoles::of(int rank) const {
  if (message_) {
    if (message_->sender == rank) return RankRole::Sends;
    return message_->receiver == rank ? RankRole::Receives : RankRole::Outside;
  }
  if (std::ranges::binary_search(callsOther_, rank)) return RankRole::CallsOther;
  const bool isMember = members_.empty() || contains(members_, rank);
  if (std::ranges::count(absent_, rank) > 0) {
    if (!isMember) return RankRole::Outside;
    if (wait_ && std::ranges::binary_search(wait_->callers, rank)) return RankRole::Elsewhere;
    return kind_ == EventKind::Collective ? RankRole::Missing : RankRole::Elsewhere;
  }
  if (!isMember) return RankRole::Outside;
  if (wait_ && std::ranges::count(wait_->waiting, rank) > 0) return RankRole::Waits;
  const bool isRoot = std::binary_search(roots_.begin(), roots_.end(), rank);
  return isRoot ? RankRole::Sends : usual_;
}

std::string deviceNear(const Journal& journal, EventId position, int rank) {
  constexpr EventId kNear = 64;
  const EventId last = std::min(std::max<EventId>(position, 1), journal.size());
  for (EventId id = last; id > 0 && last - id < kNear; --id) {
    const auto device = deviceOf(journal, id, rank);
    if (!device.empty()) {  // drops the stream
      return std::string(device.substr(0, device.find(' ')));
    }
  }
  return {};
}

}  // namespace shardlens::view
