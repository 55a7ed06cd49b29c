#include "core/tensor/events/cache_notes.h"

#include "core/base/refusal.h"
#include "core/tensor/masking/emulated_masks.h"
#include "core/trace/journal/event_makers.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace shardlens {
namespace {

using Fields = std::vector<LookupField>;
using Differences = std::vector<LookupDifference>;

struct ArgText {
  const OpSchema& call;
  std::string operator()(std::monostate) const { return "None"; }
  std::string operator()(TensorIndex tensor) const {
    return tensor.isNone() ? "None" : toText(call.inputs[tensor.index]);
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
  if (key.terms == TermKind::OwnedRows) fields.push_back({"terms", "owned rows"});
  if (key.buffer != nullptr) fields.push_back({"mask buffer", knownBuffer(*key.buffer)});
  return fields;
}

std::string keyText(const Fields& fields) {
  std::string text;
  for (const auto& field : fields) text += (text.empty() ? "" : ", ") + field.text;
  return text;
}

Differences differing(const Fields& here, const Fields& there) {
  Differences list;
  for (std::size_t i = 0; i < here.size(); ++i) {
    if (here[i].text != there[i].text) list.push_back({here[i].name, here[i].text, there[i].text});
  }
  return list;
}

bool askSame(const PlanKey&, const PlanCache::Entry&) { return true; }
bool askSame(const OpSchema& call, const StrategyCache::Entry& entry) {
  return entry.value->schema.name == call.name;
}
Fields fieldsOf(const PlanCache::Entry& entry) { return fieldsOf(entry.key); }
Fields fieldsOf(const StrategyCache::Entry& entry) { return fieldsOf(entry.value->schema); }

// Among the entries that were asked for last, the one whose question differs in the fewest fields.
template <class Cache, class Question>
void addNearest(LookupRecord& lookup, const Cache& cache, const Question& question) {
  constexpr int kLookedAt = 64;
  int looked = 0;
  Fields nearest;
  Differences least;
  cache.visit([&](const auto& entry) {
    if (!askSame(question, entry)) return true;
    Fields other = fieldsOf(entry);
    if (other.size() == lookup.fields.size()) {
      auto differs = differing(lookup.fields, other);
      if (nearest.empty() || differs.size() < least.size()) {
        least = std::move(differs);
        nearest = std::move(other);
      }
    }
    return ++looked < kLookedAt && least.size() != 1;
  });
  if (nearest.empty() || least.size() >= lookup.fields.size()) return;
  lookup.nearest = keyText(nearest);
  lookup.differs = std::move(least);
}

template <class Cache, class Question>
LookupRecord recordOf(const Runtime& runtime, const Question& question, const Cache& cache,
                      const std::optional<typename Cache::Hit>& hit, Memo memo) {
  LookupRecord lookup;
  lookup.fields = fieldsOf(question);
  lookup.key = keyText(lookup.fields);
  lookup.entries = cache.size();
  if (hit) {
    lookup.age = hit->age;
    lookup.verified = runtime.options().caches == Caches::Verified;
    return lookup;
  }
  addNearest(lookup, cache, question);
  lookup.kept = memo == Memo::Kept || runtime.options().caches == Caches::Off;
  if (memo == Memo::Kept) {
    if (const auto next = cache.next()) lookup.evicts = keyText(fieldsOf(*next));
  }
  return lookup;
}

template <class Cache, class Question>
void noteLookup(Runtime& runtime, std::string_view table, const Question& question,
                const Cache& cache, const std::optional<typename Cache::Hit>& hit, Memo memo) {
  Recorder& recorder = runtime.recorder();
  if (!recorder.on()) return;
  std::optional<LookupRecord> why;
  if (recorder.wantsReasons()) why = recordOf(runtime, question, cache, hit, memo);
  const bool off = runtime.options().caches == Caches::Off;
  const auto verdict = off ? Verdict::Off : hit ? Verdict::Hit : Verdict::Miss;
  recorder.note(makeLookup(recorder, table, verdict, hit ? hit->uses : 0, why));
}

}  // namespace

void notePlanLookup(Runtime& runtime, const PlanKey& key, const std::optional<PlanCache::Hit>& hit,
                    Memo memo) {
  noteLookup(runtime, "plan", key, runtime.planCache(), hit, memo);
}

void noteStrategyLookup(Runtime& runtime, const OpSchema& call,
                        const std::optional<StrategyCache::Hit>& hit, Memo memo) {
  noteLookup(runtime, "strategy", call, runtime.strategyCache(), hit, memo);
}

void refuseStale(const std::string& table, const std::string& cached, const std::string& found) {
  if (cached == found) return;
  throw Refusal(table + " cache: got " + cached + " for a question whose answer is " + found);
}

}  // namespace shardlens
