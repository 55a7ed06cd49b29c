#pragma once

#include "core/model/event.h"

#include <optional>
#include <vector>

namespace shardlens {

// Where somebody stood before each jump, to go back there and forward again, as in a browser.
class PositionHistory {
 public:
  static constexpr std::size_t kMost = 100;

  // From this position another one is gone to.
  void jump(EventId from);
  // Where to go to from this position; none at the ends.
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
