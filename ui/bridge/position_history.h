#pragma once

#include "core/model/event.h"

#include <optional>
#include <vector>

namespace shardlens {

// A back and forward history of positions, as in a browser.
class PositionHistory {
 public:
  static constexpr std::size_t kMost = 100;  // back entries; the oldest are dropped

  // Records a jump away from `from` and clears the forward entries. A position equal to the newest
  // back entry is not recorded again.
  void jump(EventId from);
  // Removes and returns the position to move to, and records `from` in the other direction. Returns
  // nullopt if there is none.
  std::optional<EventId> back(EventId from);
  std::optional<EventId> forward(EventId from);
  bool hasBack() const { return !back_.empty(); }
  bool hasForward() const { return !forward_.empty(); }
  void clear();

 private:
  std::vector<EventId> back_;  // the newest last
  std::vector<EventId> forward_;
};

}  // namespace shardlens
