#pragma once

#include "core/view/timeline/timeline.h"

#include <set>
#include <vector>

namespace shardlens::view {

// A row of a drawn timeline: one lane, or adjacent lanes with identical or similar activity, folded
// into one.
struct TimelineRow {
  std::int64_t lane = 0;   // the first one
  std::int64_t lanes = 1;  // more than one if the row is folded
  std::int64_t alike = 1;  // number of lanes of its run of identical lanes
  bool isFirst = true;     // the first row of its run
};

// The rows of a timeline. Runs of lanes by Timeline::alike() are folded if there are more than
// kMostUnfolded lanes, except those that were unfolded.
class TimelineRows {
 public:
  static constexpr std::int64_t kMostUnfolded = Timeline::kMostUnfolded;

  // Finds the runs of identical lanes again. Call it when the timeline has changed. Toggled runs
  // stay toggled while they begin at the same lane.
  void update(const Timeline& timeline);
  void clear();  // no rows, and no run toggled

  std::int64_t size() const { return size_; }
  TimelineRow at(std::int64_t row) const;  // requires 0 <= row < size()
  std::int64_t rowOf(std::int64_t lane) const;
  // Folds or unfolds the run of a row. Does nothing for a run of one lane.
  void toggle(std::int64_t row);

 private:
  struct Run {
    std::int64_t lane;
    std::int64_t lanes;
    std::int64_t row;  // its first row
    bool isFolded;
  };

  void number();

  std::vector<Run> runs_;
  std::set<std::int64_t> toggled_;  // first lanes of runs
  std::int64_t lanes_ = 0;
  std::int64_t size_ = 0;
};

}  // namespace shardlens::view
