#include "core/trace/journal/operator_steps.h"

#include "core/model/step_operators.h"

#include <algorithm>

namespace shardlens {

std::optional<std::vector<RankRange>> stepsWithOperators(const Journal& journal) {
  const auto lacksOperators = [](const auto& entry) {
    return entry.first.kind == EventKind::Step && entry.first.verdict == Verdict::Off;
  };
  if (std::ranges::none_of(journal.totals().all(), lacksOperators)) return std::nullopt;
  std::vector<RankRange> steps;
  for (EventId id = 1; id <= journal.size(); ++id) {
    const Event event = journal.at(id);
    if (event.kind != EventKind::Step || !recordsOperators(event)) continue;
    if (!steps.empty() && steps.back().last >= event.step - 1) {
      steps.back().last = std::max(steps.back().last, event.step);
    } else {
      steps.push_back({event.step, event.step});
    }
  }
  return steps;
}

}  // namespace shardlens
