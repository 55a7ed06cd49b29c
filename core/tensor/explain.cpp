#include "core/tensor/explain.h"

#include "core/plan/explain.h"
#include "core/tensor/recording.h"
#include "core/trace/plan_record.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace shardlens {
namespace {

using Json = nlohmann::ordered_json;

struct Field {
  std::string name;
  std::string text;
};
using Fields = std::vector<Field>;

struct ArgText {
  const OpSchema& call;
  std::string operator()(std::monostate) const { return "None"; }
  std::string operator()(TensorIndex tensor) const {
    return tensor.isNone() ? "None" : toText(call.inputs[tensor.index]);
  }
  std::string operator()(bool value) const { return value ? "true" : "false"; }
  std::string operator()(std::int64_t value) const { return std::to_string(value); }
  std::string operator()(const std::vector<std::int64_t>& list) const { return toText(list); }
  std::string operator()(const std::vector<TensorIndex>& list) const {
    std::string text = "[";
    for (const auto tensor : list) text += (text.size() > 1 ? ", " : "") + (*this)(tensor);
    return text + "]";
  }
  std::string operator()(const std::string& text) const { return text; }
};

Fields fieldsOf(const OpSchema& call) {
  Fields fields{{"op", call.name}};
  for (const auto& arg : call.args)
    fields.push_back({arg.name, std::visit(ArgText{call}, arg.value)});
  return fields;
}

Fields fieldsOf(const PlanKey& key) {
  return {{"from", toText(key.current)}, {"to", toText(key.target)}};
}

std::string keyText(const Fields& fields) {
  std::string text;
  for (const auto& field : fields) text += (text.empty() ? "" : ", ") + field.text;
  return text;
}

Json asJson(const Fields& fields) {
  Json list = Json::array();
  for (const auto& field : fields) list.push_back({field.name, field.text});
  return list;
}

Json differing(const Fields& here, const Fields& there) {
  Json list = Json::array();
  for (std::size_t i = 0; i < here.size(); ++i) {
    if (here[i].text != there[i].text) list.push_back({here[i].name, here[i].text, there[i].text});
  }
  return list;
}

// The entry that asked nearly the same: of the same operator, with the fewest differing fields.
template <class Cache, class FieldsOf>
void addNearest(Json& detail, const Cache& cache, const Fields& fields, FieldsOf fieldsOfEntry) {
  std::optional<Json> best;
  std::string nearest;
  for (const auto& entry : cache.entries()) {
    const Fields other = fieldsOfEntry(entry);
    if (other.size() != fields.size()) continue;
    auto differs = differing(fields, other);
    if (best && best->size() <= differs.size()) continue;
    best = std::move(differs);
    nearest = keyText(other);
  }
  if (!best || best->size() >= fields.size()) return;
  detail["nearest"] = nearest;
  detail["differs"] = std::move(*best);
}

template <class Cache, class FieldsOf>
void noteLookup(Runtime& runtime, std::string_view table, const Fields& fields, const Cache& cache,
                const typename Cache::Entry* entry, FieldsOf fieldsOfEntry) {
  Recorder& recorder = runtime.recorder();
  Json detail;
  detail["key"] = keyText(fields);
  detail["fields"] = asJson(fields);
  detail["entries"] = cache.entries().size();
  if (entry == nullptr) addNearest(detail, cache, fields, fieldsOfEntry);
  Event event;
  event.kind = EventKind::CacheLookup;
  event.name = recorder.intern(table);
  event.detail = recorder.intern(detail.dump());
  event.verdict = !runtime.options().caches ? Verdict::Off
                  : entry != nullptr        ? Verdict::Hit
                                            : Verdict::Miss;
  event.count = entry != nullptr ? entry->uses : 0;
  recorder.note(event);
}

std::string shortText(const Placements& placements) {
  return placements.size() == 1 ? toText(placements.front()) : toText(placements);
}

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

PlanRecord recordOf(const RuntimeOptions& options, const Spec& current, const Plan& plan) {
  constexpr std::size_t kShown = 8;
  PlanRecord record;
  for (const auto& step : plan) {
    const Price price = priceOf(options.costs, *current.mesh, current.meta, step);
    record.steps.push_back(recordOf(*current.mesh, step, price));
  }
  if (plan.empty()) return record;
  const auto why = explain(options.planner, options.costs, current, plan.back().to);
  if (!why) return record;
  record.planner = plannerName(options.planner);
  if (why->explored > 0) record.explored = why->explored;
  record.ways.push_back(recordOf(current, why->chosen, /*chosen=*/true));
  for (const auto& way : why->alternatives) {
    if (record.ways.size() > kShown) break;
    record.ways.push_back(recordOf(current, way, /*chosen=*/false));
  }
  return record;
}

}  // namespace

void notePlanLookup(Runtime& runtime, const PlanKey& key, const PlanCache::Entry* entry) {
  if (!runtime.recorder().on()) return;
  noteLookup(runtime, "plan", fieldsOf(key), runtime.planCache(), entry,
             [](const auto& other) { return fieldsOf(other.key); });
}

void noteStrategyLookup(Runtime& runtime, const OpSchema& call, const StrategyCache::Entry* entry) {
  if (!runtime.recorder().on()) return;
  noteLookup(
      runtime, "strategy", fieldsOf(call), runtime.strategyCache(), entry, [&](const auto& other) {
        return other.value->schema.name == call.name ? fieldsOf(other.value->schema) : Fields{};
      });
}

void notePlan(Runtime& runtime, const Spec& current, const Plan& plan) {
  Recorder& recorder = runtime.recorder();
  if (!recorder.on()) return;
  Event event;
  event.kind = EventKind::Plan;
  event.name = recorder.intern(toText(current.placements, plan));
  if (recorder.wantsReasons()) {
    event.detail = recorder.intern(planDetail(recordOf(runtime.options(), current, plan)));
  }
  event.bytes = receivedBytes(current, plan);
  event.count = static_cast<std::int32_t>(plan.size());
  recorder.note(event);
}

void noteCandidates(Runtime& runtime, const Propagation& propagation) {
  Recorder& recorder = runtime.recorder();
  if (!recorder.on()) return;
  constexpr std::size_t kShown = 32;
  Json detail = Json::array();
  for (const auto& strategy : propagation.candidates) {
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
  Event event;
  event.kind = EventKind::Candidates;
  event.name = recorder.intern(propagation.chosen.name);
  event.detail = recorder.intern(detail.dump());
  event.count = static_cast<std::int32_t>(propagation.candidates.size());
  event.bytes = propagation.chosen.bytes;
  recorder.note(event);
}

Event redistributeEvent(Runtime& runtime, const ShardedTensorImpl& source, const Placements& target,
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
  Json args = Json::array();
  for (const auto& input : inputs) {
    if (!isSharded(input)) continue;
    const auto& impl = shardedImpl(input);
    args.push_back((impl.name().empty() ? "_" : impl.name()) + ": " + toText(impl.spec()));
  }
  event.kind = EventKind::Operator;
  event.name = recorder.intern(name);
  event.detail = recorder.intern(Json{{"args", std::move(args)}}.dump());
  return event;
}

EventId recordResult(const at::Tensor& tensor, const std::string& name) {
  auto& impl = shardedImpl(tensor);
  Recorder& recorder = impl.runtime().recorder();
  if (!recorder.on()) return 0;
  if (impl.record() == 0 || impl.name() != name) {
    impl.setRecord(addRecord(recorder, name, impl.spec()), name);
  }
  Event event;
  event.kind = EventKind::Result;
  event.name = recorder.intern(name);
  event.subject = impl.record();
  event.bytes = bytesOf(impl.locals());
  event.related = impl.maskRecord();
  if (impl.pending()) {
    impl.pending()->addHolder(name);
    event.related = impl.pending()->record();
  }
  const EventId id = recorder.note(event);
  recordValues(recorder, id, impl.record(), impl.locals(), impl.runtime().comm().hosted());
  return id;
}

}  // namespace shardlens
