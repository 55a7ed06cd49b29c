#include "core/tensor/events/explain.h"

#include "core/model/notation.h"
#include "core/plan/explain.h"
#include "core/plan/priced_plan_record.h"
#include "core/tensor/values/recording.h"
#include "core/trace/recorder/event_makers.h"

#include <c10/util/SmallVector.h>

#include <algorithm>

namespace shardlens {
namespace {

std::vector<std::string> texts(const std::vector<Placements>& list) {
  std::vector<std::string> names;
  for (const auto& placements : list) names.push_back(shortText(placements));
  return names;
}

// Adds a tensor. Tensors of one layout share the record of their spec.
TensorId addTensor(Recorder& recorder, const std::string& name, const Layout& layout) {
  if (!recorder.on()) return 0;
  const Spec& spec = layout.spec;
  if (layout.record == 0 || layout.recordedIn != recorder.recording()) {
    layout.record =
        recorder.intern(SpecRecord{spec.meta.dtype, spec.meta.shape, spec.placements, *spec.mesh});
    layout.recordedIn = recorder.recording();
  }
  return recorder.addTensor(name, layout.record);
}

// Returns the placements along the step's mesh dimensions: "S(0)", or a list for several.
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

PlanRecord recordOf(const RuntimeOptions& options, const Spec& current, const Plan& plan,
                    PartialKind partialKind) {
  constexpr std::size_t kShown = 8;
  PlanRecord record;
  for (const auto& step : plan) {
    const Price price = priceOf(options.costs, *current.mesh, current.meta, step);
    record.steps.push_back(recordOf(*current.mesh, step, price));
  }
  if (plan.empty()) return record;
  const auto why = explain(options.planner, options.costs, current, plan.back().to, partialKind);
  if (!why) return record;
  record.planner = plannerName(options.planner);
  if (why->explored > 0) record.explored = why->explored;
  record.caveat = why->caveat;
  record.alternatives.push_back(recordOf(current, why->chosen, /*chosen=*/true));
  for (const auto& alternative : why->alternatives) {
    if (record.alternatives.size() > kShown) break;
    record.alternatives.push_back(recordOf(current, alternative, /*chosen=*/false));
  }
  return record;
}

CandidatesRecord recordOf(const std::vector<OpStrategy>& candidates) {
  CandidatesRecord record;
  for (const auto& strategy : candidates) {
    if (record.candidates.size() == CandidatesRecord::kMost) break;
    record.candidates.push_back({.name = strategy.name,
                                 .inputs = texts(strategy.inputs),
                                 .outputs = texts(strategy.outputs),
                                 .cost = strategy.cost,
                                 .bytes = strategy.bytes,
                                 .chosen = record.candidates.empty()});
  }
  return record;
}

// Returns the tensor's id in the recording. Adds the tensor first if it is not recorded yet.
TensorId recordOf(Recorder& recorder, const at::Tensor& tensor) {
  auto& impl = dtensorImpl(tensor);
  if (impl.record() == 0) {
    impl.setRecord(addTensor(recorder, impl.name(), *impl.layout()), impl.name());
  }
  return impl.record();
}

}  // namespace

void notePlan(Runtime& runtime, const Spec& current, const Plan& plan, PartialKind partialKind) {
  Recorder& recorder = runtime.recorder();
  if (!recorder.on()) return;
  std::optional<PlanRecord> why;
  if (recorder.recordsReasons()) why = recordOf(runtime.options(), current, plan, partialKind);
  recorder.note(makePlan(recorder, toText(current.placements, plan), plan.size(),
                         receivedBytes(current, plan), why));
}

void noteCandidates(Runtime& runtime, const std::vector<OpStrategy>& candidates) {
  Recorder& recorder = runtime.recorder();
  if (!recorder.on()) return;
  std::optional<CandidatesRecord> why;
  if (recorder.recordsReasons()) why = recordOf(candidates);
  const OpStrategy& chosen = candidates.front();
  recorder.note(makeCandidates(recorder, chosen.name, candidates.size(), chosen.bytes, why));
}

Event redistributeEvent(Runtime& runtime, const DTensorImpl& source, const Placements& target,
                        Verdict cause) {
  Recorder& recorder = runtime.recorder();
  if (!recorder.on()) return {};
  const auto change = shortText(source.spec().placements) + " -> " + shortText(target);
  return makeRedistribute(recorder, change, source.record(), cause);
}

Span operatorSpan(Runtime& runtime, const std::string& name,
                  const std::vector<at::Tensor>& inputs) {
  Recorder& recorder = runtime.recorder();
  if (!recorder.on()) return Span(recorder, {});
  c10::SmallVector<TensorId, 8> records;
  for (const auto& input : inputs) {
    if (isDTensor(input)) records.push_back(recordOf(recorder, input));
  }
  return Span(recorder, makeOperator(recorder, name), records);
}

EventId recordResult(const at::Tensor& tensor, const std::string& name) {
  auto& impl = dtensorImpl(tensor);
  Recorder& recorder = impl.runtime().recorder();
  if (!impl.runtime().namesResults()) return 0;
  if (impl.name() != name || (impl.record() == 0 && recorder.on())) {
    impl.setRecord(addTensor(recorder, name, *impl.layout()), name);
  }
  if (impl.pending()) impl.pending()->addHolder(name);
  if (!recorder.on()) return 0;
  const auto& hold = impl.pending();
  const TensorId mask = hold ? hold->record() : impl.maskRecord();
  const EventId id = recorder.note(
      makeResult(recorder, name, impl.record(), impl.localBytes(), mask, hold ? hold->event() : 0));
  if (recorder.recordsValues()) {
    recordValues(recorder, id, impl.record(), impl.readLocals(), impl.runtime().comm().hosted());
  }
  return id;
}

}  // namespace shardlens
