#include "core/view/tables/plan_table.h"

#include "core/base/text.h"
#include "core/plan/local_bytes.h"
#include "core/plan/transform_info.h"
#include "core/trace/journal/tensor_ranks.h"
#include "core/view/words/detail_words.h"
#include "core/view/words/names.h"
#include "core/view/words/placement_words.h"
#include "core/view/words/units.h"

#include <algorithm>

namespace shardlens::view {
namespace {

std::string titleOf(const Journal& journal, EventId id, Notation notation) {
  if (id == 0 || journal.at(id).kind != EventKind::Redistribute) return {};
  const Event& event = journal.at(id);
  const auto name = event.subject == 0 ? "" : journal.tensor(event.subject).name + ": ";
  return name + shortened(PlacementWords(journal, event.subject, notation).route(journal, event));
}

// A measured collective.
struct Taken {
  CollectiveKind kind;
  std::int64_t nanoseconds;
};

// Returns the collectives of a redistribution that ended before or at `position`, in order.
std::vector<Taken> takenBy(const Journal& journal, EventId redistribution, EventId position) {
  std::vector<Taken> all;
  for (EventId id = redistribution + 1; id <= position; ++id) {
    const Event& event = journal.at(id);
    if (event.parent < redistribution) break;
    if (event.kind == EventKind::Collective && event.duration >= 0) {
      all.push_back({event.collective(), event.duration});
    }
  }
  return all;
}

// Returns, per step, the bytes of input and output on one rank. Empty if the placements between
// steps are not recorded.
std::vector<double> heldBy(const Journal& journal, TensorId id, const PlanRecord& plan) {
  if (id == 0 || id > journal.tensors()) return {};
  const TensorRecord tensor = journal.tensor(id);
  const auto mesh = meshOf(journal, tensor.mesh);
  if (!mesh) return {};
  const auto bytesOf = [&](const Placements& placements) {
    return localBytes(*mesh, {tensor.shape, {}, tensor.dtype}, placements);
  };
  std::vector<double> held;
  Placements before = tensor.placements;
  for (const PlanStepRecord& step : plan.steps) {
    const Placements& after = step.after.placements;
    const auto fits = static_cast<std::size_t>(mesh->ndim());
    if (after.size() != fits || before.size() != fits) return {};
    const bool isRelabel = parseMove(step.move) == Move::Relabel;
    held.push_back(bytesOf(before) + (isRelabel ? 0 : bytesOf(after)));
    before = after;
  }
  return held;
}

// Assigns measured times to steps in order, 0 for steps without a collective. All 0 if the
// collectives do not match the steps.
std::vector<std::int64_t> takenByStep(const PlanRecord& plan, const std::vector<Taken>& taken) {
  std::vector<std::int64_t> times;
  std::size_t next = 0;
  for (const PlanStepRecord& step : plan.steps) {
    const auto move = parseMove(step.move);
    const bool isNext = next < taken.size() && move && isCollective(*move) &&
                        taken[next].kind == collectiveOf(*move);
    times.push_back(isNext ? taken[next++].nanoseconds : 0);
  }
  return next == taken.size() ? times : std::vector<std::int64_t>(times.size(), 0);
}

std::string summaryOf(const PlanRecord& plan, std::int64_t taken) {
  std::vector<std::string> words;
  if (const double sum = microsecondsOf(plan); sum > 0) {
    words.push_back("estimated " + microsecondsText(sum));
  }
  if (taken > 0) words.push_back("took " + durationText(taken));
  return joined(words);
}

// `held` and `taken` are 0 if unknown.
Row rowOf(const PlanStepRecord& step, const PlacementWords& words, EventId event, double held,
          std::int64_t taken) {
  const auto change =
      words.along(step.meshDims, step.from) + " → " + words.along(step.meshDims, step.to);
  const Cell none{};
  std::string tooltip = step.axis + ": " + change;
  if (held > 0) tooltip += "\nmemory of a rank: " + estimatedBytesText(held);
  if (taken > 0) tooltip += "\nmeasured " + durationText(taken);
  return {
      .cells = {{step.move},
                {step.axis},
                {shortened(step.after.isEmpty() ? change : words.listed(step.after))},
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

PlanTable planTable(const Journal& journal, EventId position, EventId decided, Notation notation) {
  PlanTable shown;
  shown.table.columns = {{"operation"},
                         {"mesh dim"},
                         {"result"},
                         {"received", Align::Right},
                         {"memory", Align::Right},
                         {"estimated", Align::Right},
                         {"measured", Align::Right}};
  shown.decision = planDecision(journal, position, decided);
  const EventId event = shown.decision.event;
  if (event == 0) return shown;
  shown.plan = readPlan(journal.detail(journal.at(event)));
  const EventId redistribution = shown.decision.subject;
  shown.title = titleOf(journal, redistribution, notation);
  const bool isOfOne = !shown.title.empty();
  const auto taken = isOfOne ? takenBy(journal, redistribution, position) : std::vector<Taken>();
  const auto times = takenByStep(shown.plan, taken);
  const auto held = isOfOne ? heldBy(journal, journal.at(redistribution).subject, shown.plan)
                            : std::vector<double>();
  const PlacementWords words(journal, notation);
  std::vector<Row> rows;
  for (std::size_t i = 0; i < shown.plan.steps.size(); ++i) {
    rows.push_back(rowOf(shown.plan.steps[i], words, event, held.empty() ? 0 : held[i], times[i]));
  }
  shown.table.rows = std::move(rows);
  std::int64_t sum = 0;
  for (const Taken& each : taken) sum += each.nanoseconds;
  shown.summary = summaryOf(shown.plan, sum);
  return shown;
}

}  // namespace shardlens::view
