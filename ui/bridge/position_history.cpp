#include "ui/bridge/position_history.h"

namespace shardlens {
namespace {

std::optional<EventId> take(std::vector<EventId>& from, std::vector<EventId>& to, EventId here) {
  if (from.empty()) {
    return std::nullopt;
  }
  const EventId position = from.back();
  from.pop_back();
  to.push_back(here);
  return position;
}

}  // namespace

void PositionHistory::jump(EventId from) {
  forward_.clear();
  if (!back_.empty() && back_.back() == from) {
    return;
  }
  if (back_.size() == kMost) {
    back_.erase(back_.begin());
  }
  back_.push_back(from);
}

std::optional<EventId> PositionHistory::back(EventId from) { return take(back_, forward_, from); }

std::optional<EventId> PositionHistory::forward(EventId from) {
  return take(forward_, back_, from);
}

void PositionHistory::clear() {
  back_.clear();
  forward_.clear();
}

}  // namespace shardlens
