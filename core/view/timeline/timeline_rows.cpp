#include "core/view/timeline/timeline_rows.h"

#include <algorithm>

namespace shardlens::view {

void TimelineRows::update(const Timeline& timeline) {
  runs_.clear();
  lanes_ = 0;
  for (const std::int64_t lanes : timeline.alike()) {
    runs_.push_back({lanes_, lanes, 0, false});
    lanes_ += lanes;
  }
  number();
}

void TimelineRows::clear() {
  runs_.clear();
  toggled_.clear();
  lanes_ = 0;
  size_ = 0;
}

void TimelineRows::number() {
  size_ = 0;
  for (Run& run : runs_) {
    run.row = size_;
    run.isFolded = run.lanes > 1 && (lanes_ > kMostUnfolded) != toggled_.contains(run.lane);
    size_ += run.isFolded ? 1 : run.lanes;
  }
}

TimelineRow TimelineRows::at(std::int64_t row) const {
  const auto after =
      std::upper_bound(runs_.begin(), runs_.end(), row,
                       [](std::int64_t each, const Run& run) { return each < run.row; });
  const Run& run = *std::prev(after);
  const std::int64_t inside = row - run.row;
  return {run.lane + inside, run.isFolded ? run.lanes : 1, run.lanes, inside == 0};
}

std::int64_t TimelineRows::rowOf(std::int64_t lane) const {
  const auto after =
      std::upper_bound(runs_.begin(), runs_.end(), lane,
                       [](std::int64_t each, const Run& run) { return each < run.lane; });
  if (after == runs_.begin()) return 0;
  const Run& run = *std::prev(after);
  return run.isFolded ? run.row : run.row + lane - run.lane;
}

void TimelineRows::toggle(std::int64_t row) {
  const TimelineRow at = this->at(row);
  if (at.alike < 2) return;
  const auto run = std::find_if(runs_.begin(), runs_.end(),
                                [&](const Run& each) { return at.lane < each.lane + each.lanes; });
  if (toggled_.erase(run->lane) == 0) toggled_.insert(run->lane);
  number();
}

}  // namespace shardlens::view
