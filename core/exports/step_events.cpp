#include "core/exports/step_events.h"

#include "core/model/step_number.h"

#include <fmt/core.h>

#include <algorithm>
#include <unordered_set>

namespace shardlens {

Result<StepEvents> stepEvents(const Journal& journal, int step) {
  StepEvents events{.step = step};
  int newest = -1;
  for (EventId id = 1; id <= journal.size(); ++id) {
    const Event event = journal.at(id);
    newest = std::max(newest, event.step);
    if (event.step != step || step < 0) continue;
    if (events.first == 0) events.first = id;
    events.last = id;
  }
  if (events.first != 0) return events;
  return fail(newest < 0 ? fmt::format("step {}: the recording has no steps", stepNumber(step))
                         : fmt::format("step {}: the recording has steps 1 to {}", stepNumber(step),
                                       stepNumber(newest)));
}

StepTensors stepTensors(const Journal& journal, const StepEvents& events) {
  StepTensors tensors;
  std::unordered_set<TensorId> named{0};
  const auto add = [&](std::vector<TensorId>& to, TensorId id) {
    if (named.insert(id).second) to.push_back(id);
  };
  for (EventId id = events.first; id <= events.last; ++id) {
    const Event event = journal.at(id);
    for (const TensorId input : journal.inputs(id)) add(tensors.read, input);
    if (event.kind == EventKind::Redistribute) add(tensors.read, event.subject);
    if (event.kind == EventKind::Result) add(tensors.made, event.subject);
  }
  return tensors;
}

}  // namespace shardlens
