#include "core/tensor/events/explain.h"

#include "core/model/notation.h"
#include "core/plan/explain.h"
#include "core/tensor/values/recording.h"
#include "core/trace/records/plan_record.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace shardlens {
namespace {

using Json = nlohmann::ordered_json;

Json texts(const std::vector<Placements>& list) {
  Json names = Json::array();
  for (const auto& placements : list) names.push_back(shortText(placements));
  return names;
}

// What changes along the mesh dimensions of a step, all at once where there are several.
std::string along(const TransformInfo& step, const Placements& placements) {
  std::string text;
  for (const int dim : step.meshDims) {
    text += (text.empty() ? "" : ", ") + toText(placements[static_cast<std::size_t>(dim)]);
  }
  return text;
}

PlanStepRecord recordOf(const DeviceMesh& mesh, const TransformInfo& step, const Price& price) {
  return {.axis = MeshGroups::axisName(mesh, step.meshDims),
          .meshDim = step.meshDims.size() == 1 ? step.meshDims.front() : -1,
          .from = along(step, step.from),
          .to = along(step, step.to),
          .move = std::string(moveName(step.move)),
          .after = toText(step.to),
          .bytes = price.received,
          .microseconds = price.microseconds};
}

PlanWayRecord recordOf(const Spec& current, const PricedPlan& way, bool chosen) {
  return {.name = way.name,
          .steps = toText(current.placements, way.plan),
          .collectives = way.collectives,
          .bytes = way.total.received,
          .microseconds = way.total.microseconds,
          .peak = way.total.peak,
          .chosen = chosen};
}

PlanRecord recordOf(const RuntimeOptions& options, const Spec& current, const Plan& plan,
                    TermKind terms) {
  constexpr std::size_t kShown = 8;
  PlanRecord record;
  for (const auto& step : plan) {
    const Price price = priceOf(options.costs, *current.mesh, current.meta, step);
    record.steps.push_back(recordOf(*current.mesh, step, price));
  }
  if (plan.empty()) return record;
  const auto why = explain(options.planner, options.costs, current, plan.back().to, terms);
  if (!why) return record;
  record.planner = plannerName(options.planner);
  if (why->explored > 0) record.explored = why->explored;
  record.caveat = why->caveat;
  record.ways.push_back(recordOf(current, why->chosen, /*chosen=*/true));
  for (const auto& way : why->alternatives) {
    if (record.ways.size() > kShown) break;
    record.ways.push_back(recordOf(current, way, /*chosen=*/false));
  }
  return record;
}

std::string candidatesDetail(const std::vector<OpStrategy>& candidates) {
  constexpr std::size_t kShown = 32;
  Json detail = Json::array();
  for (const auto& strategy : candidates) {
    if (detail.size() == kShown) break;
    Json entry;
    entry["name"] = strategy.name;
    entry["inputs"] = texts(strategy.inputs);
    entry["outputs"] = texts(strategy.outputs);
    entry["cost"] = strategy.cost;
    entry["bytes"] = strategy.bytes;
    entry["chosen"] = detail.empty();
    detail.push_back(std::move(entry));
  }
  return detail.dump();
}

std::string argumentsDetail(const std::vector<at::Tensor>& inputs) {
  Json args = Json::array();
  for (const auto& input : inputs) {
    if (!isDTensor(input)) continue;
    const auto& impl = dtensorImpl(input);
    args.push_back((impl.name().empty() ? "_" : impl.name()) + ": " + toText(impl.spec()));
  }
  return Json{{"args", std::move(args)}}.dump();
}

}  // namespace

void notePlan(Runtime& runtime, const Spec& current, const Plan& plan, TermKind terms) {
  Recorder& recorder = runtime.recorder();
  if (!recorder.on()) return;
  Event event;
  event.kind = EventKind::Plan;
  event.name = recorder.intern(toText(current.placements, plan));
  if (recorder.wantsReasons()) {
    event.detail = recorder.intern(planDetail(recordOf(runtime.options(), current, plan, terms)));
  }
  event.bytes = receivedBytes(current, plan);
  event.count = static_cast<std::int32_t>(plan.size());
  recorder.note(event);
}

void noteCandidates(Runtime& runtime, const std::vector<OpStrategy>& candidates) {
  Recorder& recorder = runtime.recorder();
  if (!recorder.on()) return;
  Event event;
  event.kind = EventKind::Candidates;
  event.name = recorder.intern(candidates.front().name);
  if (recorder.wantsReasons()) event.detail = recorder.intern(candidatesDetail(candidates));
  event.count = static_cast<std::int32_t>(candidates.size());
  event.bytes = candidates.front().bytes;
  recorder.note(event);
}

Event redistributeEvent(Runtime& runtime, const DTensorImpl& source, const Placements& target,
                        Verdict cause) {
  Event event;
  Recorder& recorder = runtime.recorder();
  if (!recorder.on()) return event;
  event.kind = EventKind::Redistribute;
  event.name = recorder.intern(shortText(source.spec().placements) + " -> " + shortText(target));
  event.subject = source.record();
  event.verdict = cause;
  return event;
}

Event operatorEvent(Runtime& runtime, const std::string& name,
                    const std::vector<at::Tensor>& inputs) {
  Event event;
  Recorder& recorder = runtime.recorder();
  if (!recorder.on()) return event;
  event.kind = EventKind::Operator;
  event.name = recorder.intern(name);
  if (recorder.wantsReasons()) event.detail = recorder.intern(argumentsDetail(inputs));
  return event;
}

EventId recordResult(const at::Tensor& tensor, const std::string& name) {
  auto& impl = dtensorImpl(tensor);
  Recorder& recorder = impl.runtime().recorder();
  if (!recorder.names()) return 0;
  if (impl.name() != name || (impl.record() == 0 && recorder.on())) {
    impl.setRecord(addRecord(recorder, name, impl.spec()), name);
  }
  if (impl.pending()) impl.pending()->addHolder(name);
  if (!recorder.on()) return 0;
  Event event;
  event.kind = EventKind::Result;
  event.name = recorder.intern(name);
  event.subject = impl.record();
  event.bytes = impl.localBytes();
  event.related = impl.maskRecord();
  if (impl.pending()) event.related = impl.pending()->record();
  const EventId id = recorder.note(event);
  if (recorder.capture() != CaptureLevel::None) {
    recordValues(recorder, id, impl.record(), impl.lookAtLocals(), impl.runtime().comm().hosted());
  }
  return id;
}

}  // namespace shardlens
