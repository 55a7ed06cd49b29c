#include "core/tensor/events/cache_notes.h"

#include "core/base/refusal.h"
#include "core/tensor/masking/emulated_masks.h"
#include "core/trace/recorder/event_makers.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace shardlens {
namespace {

using Fields = std::vector<LookupField>;

// Strides are part of the key, but are shown only if they are not contiguous.
std::string specText(const Spec& spec) {
  const auto& [shape, strides, dtype] = spec.meta;
  const bool isUsual = strides == contiguousStrides(shape);
  return toText(spec) + (isUsual ? "" : " strides " + toText(strides));
}

struct ArgText {
  const OpSchema& call;
  std::string operator()(std::monostate) const { return "None"; }
  std::string operator()(TensorIndex tensor) const {
    return tensor.isNone() ? "None" : specText(call.inputs[tensor.index]);
  }
  std::string operator()(bool value) const { return value ? "true" : "false"; }
  std::string operator()(std::int64_t value) const { return std::to_string(value); }
  std::string operator()(double value) const { return nlohmann::json(value).dump(); }
  std::string operator()(DType value) const { return std::string(dtypeName(value)); }
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
  const Spec from = knownTo(key, key.from->spec), to = knownTo(key, key.to->spec);
  Fields fields{{"from", toText(from)}, {"to", toText(to.placements)}};
  if (key.partialKind == PartialKind::OwnedRows) fields.push_back({"partial", "owned rows"});
  if (key.buffer != nullptr) fields.push_back({"mask buffer", knownBuffer(*key.buffer)});
  return fields;
}

std::size_t differing(const Fields& here, const Fields& there) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < here.size(); ++i) count += here[i].text != there[i].text ? 1 : 0;
  return count;
}

bool askSame(const PlanKey&, const PlanCache::Entry&) { return true; }
bool askSame(const OpSchema& call, const StrategyCache::Entry& entry) {
  return entry.value->schema.name == call.name;
}
Fields fieldsOf(const PlanCache::Entry& entry) { return fieldsOf(entry.key); }
Fields fieldsOf(const StrategyCache::Entry& entry) { return fieldsOf(entry.value->schema); }

// Returns the origin of the entry whose key differs in the fewest fields, or 0. Searches the most
// recently used entries only.
template <class Cache, class Question>
EventId nearestTo(const Question& question, const Fields& fields, const Cache& cache) {
  constexpr int kLookedAt = 64;
  int looked = 0;
  EventId nearest = 0;
  std::size_t least = fields.size();
  cache.visit([&](const auto& entry) {
    if (!askSame(question, entry)) return true;
    const Fields other = fieldsOf(entry);
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
EventId noteHit(Runtime& runtime, std::string_view table, const Cache& cache,
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
EventId noteMiss(Runtime& runtime, std::string_view table, const Question& question,
                 const Cache& cache, Memo memo) {
  Recorder& recorder = runtime.recorder();
  CacheAnswer answer{
      .verdict = runtime.options().caches == Caches::Off ? Verdict::Off : Verdict::Miss,
      .entries = cache.size(),
      .kept = memo == Memo::Kept};
  std::optional<LookupRecord> why;
  if (recorder.recordsReasons()) {
    why = LookupRecord{.fields = fieldsOf(question)};
    answer.entry = nearestTo(question, why->fields, cache);
  }
  const EventId miss = recorder.note(makeLookup(recorder, table, answer, why));
  const auto* evicted = memo == Memo::Kept ? cache.next() : nullptr;
  if (evicted != nullptr) recorder.note(makeEviction(recorder, table, evicted->origin));
  return miss;
}

template <class Cache, class Question>
EventId noteLookup(Runtime& runtime, std::string_view table, const Question& question,
                   const Cache& cache, const std::optional<typename Cache::Hit>& hit, Memo memo) {
  if (!runtime.recorder().on()) return 0;
  return hit ? noteHit(runtime, table, cache, *hit)
             : noteMiss(runtime, table, question, cache, memo);
}

}  // namespace

EventId notePlanLookup(Runtime& runtime, const PlanKey& key,
                       const std::optional<PlanCache::Hit>& hit, Memo memo) {
  return noteLookup(runtime, "plan", key, runtime.planCache(), hit, memo);
}

EventId noteStrategyLookup(Runtime& runtime, const OpSchema& call,
                           const std::optional<StrategyCache::Hit>& hit, Memo memo) {
  return noteLookup(runtime, "strategy", call, runtime.strategyCache(), hit, memo);
}

void refuseStale(const std::string& table, const std::string& cached, const std::string& found) {
  if (cached == found) return;
  throw Refusal(table + " cache: got " + cached + ", expected " + found);
}

}  // namespace shardlens
