#include "core/view/tables/plan_table.h"

#include "core/base/text.h"
#include "core/model/notation.h"
#include "core/plan/local_bytes.h"
#include "core/trace/journal/tensor_ranks.h"
#include "core/view/words/detail_words.h"
#include "core/view/words/names.h"
#include "core/view/words/placed_records.h"
#include "core/view/words/placement_words.h"
#include "core/view/words/units.h"

#include <algorithm>

namespace shardlens::view {
namespace {

std::string titleOf(const Journal& journal, EventId id) {
  if (id == 0 || journal.at(id).kind != EventKind::Redistribute) return {};
  const Event& event = journal.at(id);
  const auto name = event.subject == 0 ? "" : journal.tensor(event.subject).name + ": ";
  return name + shortened(PlacementWords(journal, event.subject).in(journal.name(event)));
}

// A measured collective.
struct Taken {
  std::string move;  // "all_gather"
  std::int64_t nanoseconds;
};

// Returns the collectives of a redistribution that ended before or at `position`, in order.
std::vector<Taken> takenBy(const Journal& journal, EventId redistribution, EventId position) {
  std::vector<Taken> all;
  for (EventId id = redistribution + 1; id <= position; ++id) {
    const Event& event = journal.at(id);
    if (event.parent < redistribution) break;
    if (event.kind == EventKind::Collective && event.duration >= 0) {
      all.push_back({std::string(journal.name(event)), event.duration});
    }
  }
  return all;
}

// Returns, per step, the bytes of input and output on one rank. Empty if the placements between
// steps are not recorded.
std::vector<double> heldBy(const Journal& journal, TensorId id, const PlanRecord& plan) {
  if (id == 0 || id > journal.tensors()) return {};
  const TensorRecord tensor = journal.tensor(id);
  const auto mesh = tensor.mesh ? tensor.mesh : recordedMesh(journal);
  if (!mesh) return {};
  const auto bytesOf = [&](const Placements& placements) {
    return localBytes(*mesh, {tensor.shape, {}, tensor.dtype}, placements);
  };
  std::vector<double> held;
  Placements before = tensor.placements;
  for (const PlanStepRecord& step : plan.steps) {
    auto after = parsePlacements(step.after);
    const auto fits = static_cast<std::size_t>(mesh->ndim());
    if (!after || after->size() != fits || before.size() != fits) return {};
    const bool isRelabel = step.move == "relabel";
    held.push_back(bytesOf(before) + (isRelabel ? 0 : bytesOf(*after)));
    before = std::move(*after);
  }
  return held;
}

// Assigns measured times to steps in order, 0 for steps without a collective. All 0 if the
// collectives do not match the steps.
std::vector<std::int64_t> takenByStep(const PlanRecord& plan, const std::vector<Taken>& taken) {
  std::vector<std::int64_t> times;
  std::size_t next = 0;
  for (const PlanStepRecord& step : plan.steps) {
    const bool isNext = next < taken.size() && taken[next].move == step.move;
    times.push_back(isNext ? taken[next++].nanoseconds : 0);
  }
  return next == taken.size() ? times : std::vector<std::int64_t>(times.size(), 0);
}

std::string summaryOf(const PlanRecord& plan, std::int64_t taken) {
  std::vector<std::string> words;
  if (const double sum = microsecondsOf(plan); sum > 0) {
    words.push_back("about " + microsecondsText(sum));
  }
  if (taken > 0) words.push_back("took " + durationText(taken));
  return joined(words);
}

// Removes the parentheses: "(R, S(0))" becomes "R, S(0)".
std::string bare(const std::string& placements) {
  return placements.starts_with('(') ? placements.substr(1, placements.size() - 2) : placements;
}

// `held` and `taken` are 0 if unknown.
Row rowOf(const PlanStepRecord& step, EventId event, double held, std::int64_t taken) {
  const auto change = step.from + " → " + step.to;
  const Cell none{};
  std::string tooltip = step.axis + ": " + change;
  if (held > 0) tooltip += "\nholds " + estimatedBytesText(held);
  if (taken > 0) tooltip += "\ntook " + durationText(taken);
  return {
      .cells = {{step.move},
                {step.axis},
                {shortened(step.after.empty() ? change : bare(step.after))},
                step.move.empty()
                    ? none
                    : Cell{.text = estimatedBytesText(step.bytes), .number = step.bytes},
                held > 0 ? Cell{.text = estimatedBytesText(held), .number = held} : none,
                step.microseconds > 0
                    ? Cell{.text = microsecondsText(step.microseconds), .number = step.microseconds}
                    : none,
                taken > 0 ? Cell{.text = durationText(taken), .number = static_cast<double>(taken)}
                          : none},
      .tooltip = tooltip,
      .event = event};
}

}  // namespace

PlanTable planTable(const Journal& journal, EventId position, EventId decided) {
  PlanTable shown;
  shown.table.columns = {{"move"},
                         {"over"},
                         {"then"},
                         {"receives", Align::Right},
                         {"held", Align::Right},
                         {"time", Align::Right},
                         {"took", Align::Right}};
  shown.decision = planDecision(journal, position, decided);
  const EventId event = shown.decision.event;
  if (event == 0) return shown;
  shown.plan = placedPlan(journal, journal.at(event));
  const EventId redistribution = shown.decision.subject;
  shown.title = titleOf(journal, redistribution);
  const bool isOfOne = !shown.title.empty();
  const auto taken = isOfOne ? takenBy(journal, redistribution, position) : std::vector<Taken>();
  const auto times = takenByStep(shown.plan, taken);
  const auto held = isOfOne ? heldBy(journal, journal.at(redistribution).subject,
                                     readPlan(journal.detail(journal.at(event))))
                            : std::vector<double>();
  std::vector<Row> rows;
  for (std::size_t i = 0; i < shown.plan.steps.size(); ++i) {
    rows.push_back(rowOf(shown.plan.steps[i], event, held.empty() ? 0 : held[i], times[i]));
  }
  shown.table.rows = std::move(rows);
  std::int64_t sum = 0;
  for (const Taken& each : taken) sum += each.nanoseconds;
  shown.summary = summaryOf(shown.plan, sum);
  return shown;
}

}  // namespace shardlens::view
