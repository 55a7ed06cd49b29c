// Caches that are of no use: those that never hit, and those that never stop growing.
#include "core/query/event_around.h"
#include "core/query/rules/problem_rule.h"
#include "core/trace/records/lookup_record.h"
#include "core/view/names.h"
#include "core/view/units.h"

#include <fmt/core.h>

#include <set>

namespace shardlens {

namespace {

// Of what an operator asks a cache, and explicit redistributions: its look-ups, and what its
// questions differ in.
class Growing final : public ProblemRule {
 public:
  explicit Growing(const Journal& journal)
      : ProblemRule(journal, "growing-cache", Problem::Severity::Warning) {}

  void take(EventId id, const Event& event) override {
    if (event.kind != EventKind::CacheLookup || event.verdict == Verdict::Off) return;
    const EventId call = aroundOf(journal_, id, EventKind::Operator);
    const StringId op = call == 0 ? 0 : journal_.at(call).name;
    Cache& cache = caches_[{event.name, op}];
    const bool isMiss = event.verdict == Verdict::Miss;
    cache.add(isMiss);
    if (!isMiss) return;
    if (cache.firstMisses.size() < Problem::kMostEvents) cache.firstMisses.push_back(id);
    if (cache.asked >= kMostAsked) return;
    ++cache.asked;
    for (const auto& field : readLookup(journal_.detail(event)).fields) {
      cache.texts[field.name].insert(field.text);
    }
  }

  std::vector<Problem> problems(RunState /*run*/) const override {
    Found found = found_.none();
    for (const auto& [key, cache] : caches_) {
      const std::string name = nameOf(key);
      constexpr std::size_t kLeast = 20;  // look-ups: a run begins with misses
      const std::size_t all = cache.isMiss.size();
      const bool isGrowing = cache.lateMisses * 4 > all - all / 2;
      if (all < kLeast || !isGrowing) continue;
      auto& problem = found.at(name).problem;
      problem.events = cache.firstMisses;
      problem.times = cache.misses;
      problem.sentence = cache.misses == all
                             ? fmt::format("{} never hits: {} misses", name, all)
                             : fmt::format("{} goes on growing: {} of the last {} look-ups miss",
                                           name, cache.lateMisses, all - all / 2);
      problem.sentence += varyingText(cache);
      problem.advice = "make what varies the same, as by padding batches to a few lengths";
    }
    return found.problems();
  }

 private:
  static constexpr std::size_t kMostAsked = 10'000;
  struct Cache {
    void add(bool missed) {
      if (isMiss.size() % 2 == 1 && isMiss[isMiss.size() / 2]) --lateMisses;
      isMiss.push_back(missed);
      misses += missed ? 1 : 0;
      lateMisses += missed ? 1 : 0;
    }

    std::vector<bool> isMiss = {};  // by look-up
    std::size_t misses = 0;
    std::size_t lateMisses = 0;  // of the second half of the look-ups
    std::vector<EventId> firstMisses = {};
    std::size_t asked = 0;                                    // misses whose questions were read
    std::map<std::string, std::set<std::string>> texts = {};  // of the questions, by field
  };

  // The field with the most different texts.
  static std::string varyingText(const Cache& cache) {
    const std::string* most = nullptr;
    std::size_t texts = 1;
    for (const auto& [field, all] : cache.texts) {
      if (all.size() <= texts) continue;
      most = &field;
      texts = all.size();
    }
    if (most == nullptr) return {};
    return fmt::format("; {} has {} values in {} misses", view::cut(*most), texts, cache.asked);
  }

  std::string nameOf(const std::pair<StringId, StringId>& key) const {
    std::string name = "the " + view::cut(journal_.text(key.first)) + " cache";
    if (key.second != 0) name += " of " + view::cut(journal_.text(key.second));
    return name;
  }

  std::map<std::pair<StringId, StringId>, Cache> caches_;  // by its name, and the operator's
};

}  // namespace

void addCacheRules(const Journal& journal, ProblemRules& rules) {
  rules.push_back(std::make_unique<Growing>(journal));
}

}  // namespace shardlens
