#include "core/tensor/events/cache_notes.h"

#include "core/base/refusal.h"
#include "core/tensor/masking/mask_policy.h"
#include "core/trace/recorder/event_makers.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <utility>

namespace shardlens {
namespace {

using Fields = std::vector<LookupField>;

LookupTensor tensorOf(const Spec& spec) {
  return {spec.meta.dtype, spec.meta.shape, spec.placements};
}

// Strides are part of the key, but are shown only if they are not contiguous.
LookupValue valueOf(const Spec& spec) {
  LookupValue value(tensorOf(spec));
  const auto& [shape, strides, dtype] = spec.meta;
  if (strides != contiguousStrides(shape)) value.append(" strides " + toText(strides));
  return value;
}

struct ArgumentValue {
  const OpSchema& call;
  LookupValue operator()(std::monostate) const { return "None"; }
  LookupValue operator()(TensorIndex tensor) const {
    return tensor.isNone() ? LookupValue("None") : valueOf(call.inputs[tensor.index]);
  }
  LookupValue operator()(bool value) const { return value ? "true" : "false"; }
  LookupValue operator()(std::int64_t value) const { return std::to_string(value); }
  LookupValue operator()(double value) const { return nlohmann::json(value).dump(); }
  LookupValue operator()(DType value) const { return dtypeName(value); }
  LookupValue operator()(const std::vector<std::int64_t>& list) const { return toText(list); }
  LookupValue operator()(const std::vector<TensorIndex>& list) const {
    LookupValue value("[");
    const char* separator = "";
    for (const auto tensor : list) {
      value.append(std::exchange(separator, ", ")).append((*this)(tensor));
    }
    return value.append("]");
  }
  LookupValue operator()(const std::string& text) const { return text; }
};

Fields fieldsOf(const MaskPolicy&, const OpSchema& call) {
  Fields fields{{"op", call.name}};
  for (const auto& arg : call.args)
    fields.push_back({arg.name, std::visit(ArgumentValue{call}, arg.value)});
  return fields;
}

Fields fieldsOf(const MaskPolicy& policy, const PlanKey& key) {
  const Spec from = policy.knownTo(key, key.from->spec), to = policy.knownTo(key, key.to->spec);
  Fields fields{{"from", tensorOf(from)}, {"to", to.placements}};
  if (key.partialKind == PartialKind::OwnedRows) fields.push_back({"partial", "owned rows"});
  if (key.buffer != nullptr) fields.push_back({"mask buffer", policy.knownBuffer(*key.buffer)});
  return fields;
}

std::size_t differing(const Fields& here, const Fields& there) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < here.size(); ++i) count += here[i].value != there[i].value ? 1 : 0;
  return count;
}

bool askSame(const PlanKey&, const PlanCache::Entry&) { return true; }
bool askSame(const OpSchema& call, const StrategyCache::Entry& entry) {
  return entry.value->schema.name == call.name;
}
Fields fieldsOf(const MaskPolicy& policy, const PlanCache::Entry& entry) {
  return fieldsOf(policy, entry.key);
}
Fields fieldsOf(const MaskPolicy& policy, const StrategyCache::Entry& entry) {
  return fieldsOf(policy, entry.value->schema);
}

// Returns the origin of the entry whose key differs in the fewest fields, or 0. Searches the most
// recently used entries only.
template <class Cache, class Question>
EventId nearestTo(const MaskPolicy& policy, const Question& question, const Fields& fields,
                  const Cache& cache) {
  constexpr int kLookedAt = 64;
  int looked = 0;
  EventId nearest = 0;
  std::size_t least = fields.size();
  cache.visit([&](const auto& entry) {
    if (!askSame(question, entry)) return true;
    const Fields other = fieldsOf(policy, entry);
    if (other.size() == fields.size()) {
      const auto differs = differing(fields, other);
      if (differs < least) {
        least = differs;
        nearest = entry.origin;
      }
    }
    return ++looked < kLookedAt && least != 1;
  });
  return nearest;
}

template <class Cache>
EventId noteHit(Runtime& runtime, CacheTable table, const Cache& cache,
                const typename Cache::Hit& hit) {
  Recorder& recorder = runtime.recorder();
  std::optional<LookupRecord> why;
  if (runtime.options().caches == Caches::Verified) why = LookupRecord{.verified = true};
  return recorder.note(makeLookup(recorder, table,
                                  {.verdict = Verdict::Hit,
                                   .entries = cache.size(),
                                   .entry = hit.origin,
                                   .uses = hit.uses,
                                   .age = hit.age},
                                  why));
}

template <class Cache, class Question>
EventId noteMiss(Runtime& runtime, CacheTable table, const Question& question, const Cache& cache,
                 Memo memo) {
  Recorder& recorder = runtime.recorder();
  CacheAnswer answer{
      .verdict = runtime.options().caches == Caches::Off ? Verdict::Off : Verdict::Miss,
      .entries = cache.size(),
      .kept = memo == Memo::Kept};
  std::optional<LookupRecord> why;
  if (recorder.recordsReasons()) {
    const MaskPolicy& policy = runtime.maskPolicy();
    why = LookupRecord{.fields = fieldsOf(policy, question)};
    answer.entry = nearestTo(policy, question, why->fields, cache);
  }
  const EventId miss = recorder.note(makeLookup(recorder, table, answer, why));
  const auto* evicted = memo == Memo::Kept ? cache.next() : nullptr;
  if (evicted != nullptr) recorder.note(makeEviction(table, evicted->origin));
  return miss;
}

template <class Cache, class Question>
EventId noteLookup(Runtime& runtime, CacheTable table, const Question& question, const Cache& cache,
                   const std::optional<typename Cache::Hit>& hit, Memo memo) {
  if (!runtime.recorder().on()) return 0;
  return hit ? noteHit(runtime, table, cache, *hit)
             : noteMiss(runtime, table, question, cache, memo);
}

}  // namespace

EventId notePlanLookup(Runtime& runtime, const PlanKey& key,
                       const std::optional<PlanCache::Hit>& hit, Memo memo) {
  return noteLookup(runtime, CacheTable::Plan, key, runtime.planCache(), hit, memo);
}

EventId noteStrategyLookup(Runtime& runtime, const OpSchema& call,
                           const std::optional<StrategyCache::Hit>& hit, Memo memo) {
  return noteLookup(runtime, CacheTable::Strategy, call, runtime.strategyCache(), hit, memo);
}

void refuseStale(const std::string& table, const std::string& cached, const std::string& found) {
  if (cached == found) return;
  throw Refusal(table + " cache: got " + cached + ", expected " + found);
}

}  // namespace shardlens
