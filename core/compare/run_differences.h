#pragma once

#include "core/compare/event_pairs.h"
#include "core/trace/file/progress.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace shardlens {

// Something in which two recordings differ.
struct RunDifference {
  enum class In { Settings, Program, Placements, Plans, Collectives, Values };
  static constexpr int kKinds = 6;

  In in = In::Program;
  EventId left = 0;  // where it is; 0: not there, or of the whole run
  EventId right = 0;
  std::string sentence;  // "y: S(0) in A, R in B"
};
std::string_view nameOf(RunDifference::In in);  // "placements"

// Lays the steps of two recordings side by side and tells in order what is not the same. A tensor
// that has another name in the other recording is the same one if the same event makes it.
void compareRuns(const Journal& left, const Journal& right, const std::vector<StepPair>& steps,
                 const EventPairs& events, const std::function<void(const RunDifference&)>& tell,
                 const Progress& progress = {});

}  // namespace shardlens
