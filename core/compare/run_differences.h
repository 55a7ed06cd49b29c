#pragma once

#include "core/compare/event_pairs.h"
#include "core/model/tolerance.h"
#include "core/trace/file/progress.h"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shardlens {

// A difference between two recordings.
struct RunDifference {
  enum class In { Settings, Program, Placements, Plans, Collectives, Values };
  // The number of values of In.
  static constexpr int kKinds = 6;

  In in = In::Program;
  // The events that show the difference. In a recording that lacks the event: the last paired event
  // before it, or the first event of the step. 0 if it lacks the whole step; both 0 for a
  // difference of the whole run.
  EventId left = 0;
  EventId right = 0;
  std::string sentence;  // "y: S(0) in A, R in B"
};
std::string_view nameOf(RunDifference::In in);  // "placements"

// Compares two recordings and reports each difference to `report`: settings first, then step by
// step. `steps` and `events`: from pairSteps() and pairEvents(). A tensor corresponds to the tensor
// that the paired event creates, also under another name. Compares values only on the hosted ranks
// of `left`, and only if both recordings have values; `tolerance` replaces that of each dtype.
// Exceptions of `report` and `progress` pass through.
void compareRuns(const Journal& left, const Journal& right, const std::vector<StepPair>& steps,
                 const EventPairs& events, const std::function<void(const RunDifference&)>& report,
                 const Progress& progress = {}, const std::optional<Tolerance>& tolerance = {});

// Returns what compareRuns() cannot compare because a recording lacks it: "only collectives were
// compared", "values were not compared: A has none", or "" if values are compared. Linear in the
// events of a recording without operators.
std::string omittedText(const Journal& left, const Journal& right);

}  // namespace shardlens
