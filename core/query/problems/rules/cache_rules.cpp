// Rules about caches that never hit or never stop growing.
#include "core/model/step_operators.h"
#include "core/query/language/event_around.h"
#include "core/query/problems/rules/problem_rule.h"
#include "core/trace/events/event_names.h"
#include "core/trace/records/lookup_record.h"
#include "core/view/words/names.h"
#include "core/view/words/units.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

namespace shardlens {

namespace {

// growing-cache: counts the lookups of each operator (and of explicit redistributions) in each
// cache, and finds the key fields that vary.
class Growing final : public ProblemRule {
 public:
  explicit Growing(const Journal& journal)
      : ProblemRule(journal, "growing-cache", Problem::Severity::Warning) {}

  void take(EventId id, const Event& event) override {
    if (event.kind == EventKind::Step) hasGap_ |= !recordsOperators(event);
    if (event.kind != EventKind::CacheLookup || event.verdict == Verdict::Off) return;
    const EventId call = aroundOf(journal_, id, EventKind::Operator);
    const StringId op = call == 0 ? 0 : journal_.at(call).name;
    Cache& cache = caches_[{event.cache(), op}];
    const bool isMiss = event.verdict == Verdict::Miss;
    cache.add(isMiss);
    if (!isMiss) return;
    // The first miss of a cache has nothing to compare with, so that it does not show the problem.
    const bool isFirst = cache.misses == 1;
    if (!isFirst && cache.laterMisses.size() < Problem::kMostEvents) {
      cache.laterMisses.push_back(id);
    }
    if (cache.compared >= kMostCompared) return;
    ++cache.compared;
    if (cache.keys.insert(event.detail).second) {
      cache.compare(readLookup(journal_.detail(event)).fields);
    }
  }

  std::vector<Problem> problems(RunState /*run*/) const override {
    Found found = found_.none();
    const char* const where = hasGap_ ? " in the steps with recorded operators" : "";
    for (const auto& [key, cache] : caches_) {
      const std::string name = nameOf(key);
      constexpr std::size_t kLeast = 20;  // lookups; every run begins with misses
      const std::size_t all = cache.isMiss.size();
      const bool isGrowing = cache.lateMisses * 4 > all - all / 2;
      if (all < kLeast || !isGrowing || !cache.willContinue()) continue;
      auto& problem = found.at(name).problem;
      problem.events = cache.laterMisses;
      problem.times = cache.misses - 1;
      problem.sentence = cache.misses == all
                             ? fmt::format("{} never hits{}: {} misses", name, where, all)
                             : fmt::format("{} keeps growing{}: {} of the last {} lookups miss",
                                           name, where, cache.lateMisses, all - all / 2);
      explain(cache, problem);
    }
    return found.problems();
  }

 private:
  // Misses whose keys are compared, per cache and operator.
  static constexpr std::size_t kMostCompared = 10'000;
  // Fields of a key, by index.
  using Indices = std::vector<std::size_t>;

  // Key fields that vary together: their values, and the largest number of keys that differ in
  // these fields alone.
  struct Varying {
    std::vector<std::string> names = {};
    bool isNumbers = true;
    std::set<std::string> texts = {};
    std::vector<std::string> first = {};  // the first two texts
    // Number of keys by the hash of all that does not vary.
    std::unordered_map<std::size_t, std::size_t> alike = {};
    std::size_t mostAlike = 0;
  };
  // The lookups of one operator in one cache.
  struct Cache {
    // Adds a lookup and keeps lateMisses for the second half.
    void add(bool missed) {
      if (isMiss.size() % 2 == 1 && isMiss[isMiss.size() / 2]) --lateMisses;
      isMiss.push_back(missed);
      misses += missed ? 1 : 0;
      lateMisses += missed ? 1 : 0;
    }

    // Adds the key of a miss. Its fields vary alone, its numbers together, as the limits of a
    // clamp, or the tensors with a common size, as those of a batch.
    void compare(const std::vector<LookupField>& key) {
      std::size_t all = 0;
      for (const auto& field : key) all ^= hashOf(field.name, field.value);
      Indices numbers;
      std::map<std::int64_t, Indices> bySize;
      for (std::size_t i = 0; i < key.size(); ++i) {
        add(key, {i}, all ^ hashOf(key[i].name, key[i].value));
        const std::set<std::int64_t> sizes = sizesOf(key[i].value);
        if (sizes.empty()) numbers.push_back(i);
        for (const std::int64_t size : sizes) bySize[size].push_back(i);
      }
      std::size_t rest = all;
      for (const std::size_t i : numbers) rest ^= hashOf(key[i].name, key[i].value);
      if (numbers.size() > 1) add(key, numbers, rest);
      for (const auto& [size, indices] : bySize) {
        if (indices.size() < 2) continue;
        std::size_t others = all;
        for (const std::size_t i : indices) {
          others ^= hashOf(key[i].name, key[i].value);
          others ^= hashOf(key[i].name, withoutSize(key[i].value, size));
        }
        add(key, indices, others);
      }
    }

    // Counts a key whose fields `indices` vary; `others` is the hash of all else.
    void add(const std::vector<LookupField>& key, const Indices& indices, std::size_t others) {
      Varying now;
      std::string text;
      for (const std::size_t i : indices) {
        now.names.push_back(key[i].name);
        const std::string each = toText(key[i].value);
        now.isNumbers = now.isNumbers && isNumber(each);
        text += (text.empty() ? "" : "\n") + each;
      }
      Varying& known = varying[now.names];
      known.names = now.names;
      known.isNumbers = now.isNumbers;
      if (known.texts.insert(text).second && known.first.size() < 2) known.first.push_back(text);
      known.mostAlike = std::max(known.mostAlike, ++known.alike[others]);
    }

    // Returns true if misses will continue: the same keys miss again (the cache is full), or many
    // keys differ in the same fields alone. A first pass over many layers also misses, but its keys
    // differ in changing fields.
    bool willContinue() const {
      constexpr std::size_t kAgain = 8;
      const Varying* most = mostVarying();
      return keys.size() * 2 <= compared || (most != nullptr && most->mostAlike >= kAgain);
    }

    // Returns the fewest fields in which alone the most keys differ, or null.
    const Varying* mostVarying() const {
      const Varying* most = nullptr;
      for (const auto& [names, each] : varying) {
        const std::size_t least = most == nullptr ? 1 : most->mostAlike;
        const bool isSmaller = most != nullptr && names.size() < most->names.size();
        if (each.mostAlike > least || (each.mostAlike == least && isSmaller)) most = &each;
      }
      return most;
    }

    std::vector<bool> isMiss = {};  // per lookup
    std::size_t misses = 0;
    std::size_t lateMisses = 0;  // in the second half of the lookups
    std::vector<EventId> laterMisses = {};
    std::size_t compared = 0;                                  // misses whose keys were compared
    std::set<StringId> keys = {};                              // their distinct keys (detail texts)
    std::map<std::vector<std::string>, Varying> varying = {};  // by the names of the fields
  };

  static std::size_t hashOf(const std::string& name, const LookupValue& value) {
    return std::hash<std::string>()(name + "=" + toText(value));
  }

  static bool isNumber(const std::string& text) {
    double number = 0;
    const char* const end = text.data() + text.size();
    const auto [last, error] = std::from_chars(text.data(), end, number);
    return last == end && error != std::errc::invalid_argument;
  }

  // Returns the name of a key field in a sentence: that of an argument, or what a plan moves.
  static std::string fieldText(const std::string& name) {
    return name == "from" ? "the redistributed tensor"
           : name == "to" ? "its new placement"
                          : view::truncated(name);
  }

  // Returns the sizes of the tensors in a value, none for a number.
  static std::set<std::int64_t> sizesOf(const LookupValue& value) {
    std::set<std::int64_t> sizes;
    for (const auto& part : value.parts()) {
      const auto* tensor = std::get_if<LookupTensor>(&part);
      if (tensor != nullptr) sizes.insert(tensor->shape.begin(), tensor->shape.end());
    }
    return sizes;
  }

  // Returns the value with -1 for a size of its tensors.
  static LookupValue withoutSize(const LookupValue& value, std::int64_t size) {
    LookupValue without;
    for (LookupValue::Part part : value.parts()) {
      if (auto* tensor = std::get_if<LookupTensor>(&part)) {
        std::ranges::replace(tensor->shape, size, -1);
      }
      std::visit([&](const auto& each) { without.append(LookupValue(each)); }, part);
    }
    return without;
  }

  // Adds the fields that vary to the sentence, and the advice.
  static void explain(const Cache& cache, Problem& problem) {
    const Varying* most = cache.mostVarying();
    problem.advice = "keep the shapes constant, for example pad batches to a few lengths";
    if (most == nullptr) return;
    // Without the fields that are equal in all keys.
    std::vector<std::string> names;
    for (const std::string& name : most->names) {
      if (cache.varying.at({name}).texts.size() > 1) names.push_back(fieldText(name));
    }
    const bool isOne = names.size() == 1;
    const std::string list = fmt::format("{}", fmt::join(names, ", "));
    problem.sentence += fmt::format("; {} {} {} values in {} misses", list, isOne ? "has" : "have",
                                    most->texts.size(), cache.compared);
    constexpr std::size_t kLongest = 80;
    const auto isShort = [](const std::string& text) { return text.size() <= kLongest; };
    if (isOne && most->first.size() == 2 && std::ranges::all_of(most->first, isShort)) {
      problem.cause = fmt::format("{} is {}, then {}", list, most->first[0], most->first[1]);
    }
    if (most->isNumbers) {
      problem.advice = fmt::format("pass {} as {} if the operator takes {}", list,
                                   isOne ? "a tensor" : "tensors", isOne ? "one" : "them");
    }
  }

  std::string nameOf(const std::pair<CacheTable, StringId>& key) const {
    std::string name = fmt::format("the {} cache", cacheName(key.first));
    if (key.second != 0) name += " of " + view::truncated(journal_.text(key.second));
    return name;
  }

  std::map<std::pair<CacheTable, StringId>, Cache> caches_;  // by cache and name of the operator
  bool hasGap_ = false;                                      // a step has no recorded operators
};

}  // namespace

void addCacheRules(const Journal& journal, ProblemRules& rules) {
  rules.push_back(std::make_unique<Growing>(journal));
}

}  // namespace shardlens
