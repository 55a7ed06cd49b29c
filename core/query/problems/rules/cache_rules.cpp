// Rules about caches that never hit or never stop growing.
#include "core/query/language/event_around.h"
#include "core/query/problems/rules/problem_rule.h"
#include "core/trace/events/event_names.h"
#include "core/trace/records/lookup_record.h"
#include "core/view/words/names.h"
#include "core/view/words/units.h"

#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <set>
#include <unordered_map>

namespace shardlens {

namespace {

// growing-cache: counts the lookups of each operator (and of explicit redistributions) in each
// cache, and finds the key field that varies.
class Growing final : public ProblemRule {
 public:
  explicit Growing(const Journal& journal)
      : ProblemRule(journal, "growing-cache", Problem::Severity::Warning) {}

  void take(EventId id, const Event& event) override {
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
                             ? fmt::format("{} never hits: {} misses", name, all)
                             : fmt::format("{} keeps growing: {} of the last {} lookups miss", name,
                                           cache.lateMisses, all - all / 2);
      problem.sentence += varyingText(cache);
      problem.advice = "keep the varying field constant, for example pad batches to a few lengths";
    }
    return found.problems();
  }

 private:
  // Misses whose keys are compared, per cache and operator.
  static constexpr std::size_t kMostCompared = 10'000;
  // A key field: its values, and the largest number of keys that differ in it alone.
  struct Field {
    std::set<std::string> texts = {};
    // Number of keys by the hash of all other fields.
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

    // Adds the key of a miss.
    void compare(const std::vector<LookupField>& key) {
      const auto hashOf = [](const LookupField& field) {
        return std::hash<std::string>()(field.name + "=" + toText(field.value));
      };
      std::size_t all = 0;
      for (const auto& field : key) all ^= hashOf(field);
      for (const auto& field : key) {
        Field& known = fields[field.name];
        known.texts.insert(toText(field.value));
        known.mostAlike = std::max(known.mostAlike, ++known.alike[all ^ hashOf(field)]);
      }
    }

    // Returns true if misses will continue: the same keys miss again (the cache is full), or many
    // keys differ in one field alone. A first pass over many layers also misses, but its keys
    // differ in changing fields.
    bool willContinue() const {
      constexpr std::size_t kAgain = 8;
      const auto* most = varying();
      return keys.size() * 2 <= compared || (most != nullptr && most->second.mostAlike >= kAgain);
    }

    // Returns the field in which alone the most keys differ, or null.
    const std::pair<const std::string, Field>* varying() const {
      const std::pair<const std::string, Field>* most = nullptr;
      std::size_t alike = 1;
      for (const auto& field : fields) {
        if (field.second.mostAlike <= alike) continue;
        most = &field;
        alike = field.second.mostAlike;
      }
      return most;
    }

    std::vector<bool> isMiss = {};  // per lookup
    std::size_t misses = 0;
    std::size_t lateMisses = 0;  // in the second half of the lookups
    std::vector<EventId> laterMisses = {};
    std::size_t compared = 0;      // misses whose keys were compared
    std::set<StringId> keys = {};  // their distinct keys (detail texts)
    std::map<std::string, Field> fields = {};
  };

  static std::string varyingText(const Cache& cache) {
    const auto* most = cache.varying();
    if (most == nullptr) return {};
    return fmt::format("; {} has {} values in {} misses", view::truncated(most->first),
                       most->second.texts.size(), cache.compared);
  }

  std::string nameOf(const std::pair<CacheTable, StringId>& key) const {
    std::string name = fmt::format("the {} cache", cacheName(key.first));
    if (key.second != 0) name += " of " + view::truncated(journal_.text(key.second));
    return name;
  }

  std::map<std::pair<CacheTable, StringId>, Cache> caches_;  // by cache and name of the operator
};

}  // namespace

void addCacheRules(const Journal& journal, ProblemRules& rules) {
  rules.push_back(std::make_unique<Growing>(journal));
}

}  // namespace shardlens
