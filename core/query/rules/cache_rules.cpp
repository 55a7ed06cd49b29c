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
    cache.misses.push_back(isMiss ? id : 0);
    if (!isMiss) ++cache.hits;
    if (!isMiss || cache.asked >= kMostAsked) return;
    ++cache.asked;
    for (const auto& field : readLookup(journal_.detail(event)).fields) {
      cache.texts[field.name].insert(field.text);
    }
  }

  void end() override {
    for (auto& [key, cache] : caches_) {
      const std::string name = nameOf(key);
      constexpr std::size_t kLeast = 20;  // look-ups: a run begins with misses
      const std::size_t all = cache.misses.size();
      std::size_t late = 0;
      for (std::size_t i = all / 2; i < all; ++i) late += cache.misses[i] != 0 ? 1 : 0;
      const bool isGrowing = late * 4 > all - all / 2;
      if (all < kLeast || !isGrowing) continue;
      for (const EventId miss : cache.misses) {
        if (miss != 0) found_.add(name, miss);
      }
      auto& problem = found_.at(name).problem;
      problem.sentence = cache.hits == 0
                             ? fmt::format("{} never hits: {} misses", name, all)
                             : fmt::format("{} goes on growing: {} of the last {} look-ups miss",
                                           name, late, all - all / 2);
      problem.sentence += varyingText(cache);
      problem.advice = "make what varies the same, as by padding batches to a few lengths";
    }
  }

 private:
  static constexpr std::size_t kMostAsked = 10'000;
  struct Cache {
    std::vector<EventId> misses = {};  // by look-up; 0: it hit
    std::size_t hits = 0;
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
