#include "core/tensor/events/cache_notes.h"

#include "core/base/refusal.h"
#include "core/tensor/masking/emulated_masks.h"

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
  std::string operator()(double value) const { return Json(value).dump(); }
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

bool askSame(const PlanKey&, const PlanCache::Entry&) { return true; }
bool askSame(const OpSchema& call, const StrategyCache::Entry& entry) {
  return entry.value->schema.name == call.name;
}
Fields fieldsOf(const PlanCache::Entry& entry) { return fieldsOf(entry.key); }
Fields fieldsOf(const StrategyCache::Entry& entry) { return fieldsOf(entry.value->schema); }

// Among the entries that were asked for last, the one whose question differs in the fewest fields.
template <class Cache, class Question>
void addNearest(Json& detail, const Cache& cache, const Question& question, const Fields& fields) {
  constexpr int kLookedAt = 64;
  int looked = 0;
  Fields nearest;
  Json least;
  cache.visit([&](const auto& entry) {
    if (!askSame(question, entry)) return true;
    Fields other = fieldsOf(entry);
    if (other.size() == fields.size()) {
      auto differs = differing(fields, other);
      if (nearest.empty() || differs.size() < least.size()) {
        least = std::move(differs);
        nearest = std::move(other);
      }
    }
    return ++looked < kLookedAt && least.size() != 1;
  });
  if (nearest.empty() || least.size() >= fields.size()) return;
  detail["nearest"] = keyText(nearest);
  detail["differs"] = std::move(least);
}

template <class Cache, class Question>
std::string lookupDetail(const Runtime& runtime, const Question& question, const Cache& cache,
                         const std::optional<typename Cache::Hit>& hit, Memo memo) {
  const Fields fields = fieldsOf(question);
  Json detail;
  detail["key"] = keyText(fields);
  detail["fields"] = asJson(fields);
  detail["entries"] = cache.size();
  if (hit) detail["age"] = hit->age;
  if (hit && runtime.options().caches == Caches::Verified) detail["verified"] = true;
  if (!hit) addNearest(detail, cache, question, fields);
  const bool off = runtime.options().caches == Caches::Off;
  if (!hit && !off && memo == Memo::Dropped) detail["kept"] = false;
  if (!hit && memo == Memo::Kept) {
    if (const auto next = cache.next()) detail["evicts"] = keyText(fieldsOf(*next));
  }
  return detail.dump();
}

template <class Cache, class Question>
void noteLookup(Runtime& runtime, std::string_view table, const Question& question,
                const Cache& cache, const std::optional<typename Cache::Hit>& hit, Memo memo) {
  Recorder& recorder = runtime.recorder();
  if (!recorder.on()) return;
  Event event;
  event.kind = EventKind::CacheLookup;
  event.name = recorder.intern(table);
  if (recorder.wantsReasons()) {
    event.detail = recorder.intern(lookupDetail(runtime, question, cache, hit, memo));
  }
  const bool off = runtime.options().caches == Caches::Off;
  event.verdict = off ? Verdict::Off : hit ? Verdict::Hit : Verdict::Miss;
  event.count = hit ? hit->uses : 0;
  recorder.note(event);
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
