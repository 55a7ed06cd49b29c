#include "core/view/rank_roles.h"

#include "core/trace/journal/tensor_ranks.h"
#include "core/trace/merge/merged_parts.h"

#include <algorithm>

namespace shardlens::view {
namespace {

bool has(const std::vector<int>& ranks, int rank) {
  return std::find(ranks.begin(), ranks.end(), rank) != ranks.end();
}

// Of these each member sends and receives; the others have one that the data comes from.
RankRole roleIn(std::string_view collective) {
  for (const std::string_view name : {"all_", "reduce_scatter", "halo_exchange"}) {
    if (collective.starts_with(name)) return RankRole::Exchanges;
  }
  return RankRole::TakesPart;
}

}  // namespace

std::string_view roleText(RankRole role) {
  switch (role) {
    case RankRole::Computes:
      return "computes";
    case RankRole::Exchanges:
      return "sends, receives";
    case RankRole::TakesPart:
      return "takes part";
    case RankRole::Waits:
      return "waits";
    case RankRole::Missing:
      return "did not come";
    case RankRole::Outside:
      return "not in it";
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
    usual_ = roleIn(journal.name(it));
    wait_ = collectiveWait(journal, event);
  } else if (kind_ == EventKind::Compute) {
    usual_ = RankRole::Computes;
  }
  if (usual_ != RankRole::None) members_ = parseRankRanges(journal.text(it.ranks));
}

RankRole RankRoles::of(int rank) const {
  const bool isMember = members_.empty() || contains(members_, rank);
  if (has(absent_, rank)) {
    return kind_ == EventKind::Collective && isMember ? RankRole::Missing : RankRole::Outside;
  }
  if (!isMember) return RankRole::Outside;
  return wait_ && has(wait_->waiting, rank) ? RankRole::Waits : usual_;
}

std::string deviceNear(const Journal& journal, EventId position, int rank) {
  constexpr EventId kNear = 64;
  const EventId last = std::min(std::max<EventId>(position, 1), journal.size());
  for (EventId id = last; id > 0 && last - id < kNear; --id) {
    const auto device = deviceOf(journal, id, rank);
    if (!device.empty()) {  // a stream of it is not told
      return std::string(device.substr(0, device.find(' ')));
    }
  }
  return {};
}

}  // namespace shardlens::view
