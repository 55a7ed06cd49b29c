#include "ui/scenes/magnifier.h"

#include <algorithm>
#include <utility>

namespace shardlens {

bool Magnifier::zoom(int steps, double most) {
  constexpr double kStep = 1.5;
  double to = 1;
  if (steps > 0) {
    to = factor_ == kAll ? 1 : std::max(factor_, std::min(factor_ * kStep, most));
  } else if (steps < 0) {
    to = factor_ <= 1 ? kAll : std::max(1.0, factor_ / kStep);
  }
  return std::exchange(factor_, to) != to;
}

}  // namespace shardlens
