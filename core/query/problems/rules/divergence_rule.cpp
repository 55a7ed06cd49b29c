// The rule about ranks that run another program than the ranks of their role.
#include "core/model/rank_ranges.h"
#include "core/query/problems/rules/problem_rule.h"
#include "core/trace/merge/program_roles.h"
#include "core/view/words/collective_wait.h"
#include "core/view/words/role_words.h"

#include <algorithm>

namespace shardlens {

namespace {

// divergence: ranks of a role part after they have run the same program. Not reported where they
// call different collectives at the same place, because collective-mismatch names that.
class Diverged final : public ProblemRule {
 public:
  explicit Diverged(const Journal& journal)
      : ProblemRule(journal, "divergence", Problem::Severity::Warning), search_(journal) {}

  bool judgesOutcomes() const override { return true; }
  void take(EventId /*id*/, const Event& /*event*/) override {}

  bool prepare(const std::function<bool()>& mayGoOn) override {
    return isPrepared_ = search_.search(mayGoOn);
  }

  std::vector<Problem> problems(RunState /*run*/) const override {
    if (isPrepared_) search_.search();
    Found found = found_.none();
    for (const auto& each : search_.found()) {
      if (isMismatch(each.most.event) || isMismatch(each.other.event)) continue;
      const auto [first, second] = std::minmax(each.most.event, each.other.event);
      auto& problem = found.add(rangesText(each.other.ranks), first).problem;
      if (second != first) problem.events.push_back(second);
      problem.sentence = view::divergenceText(journal_, each, notation_) +
                         ", after they have run the same program";
      problem.advice =
          "a condition that differs between ranks decides what they run: compare the "
          "two places";
    }
    return found.problems();
  }

 private:
  bool isMismatch(EventId id) const {
    const auto wait = view::collectiveWait(journal_, id);
    return wait && wait->instead != 0;
  }

  mutable DivergenceSearch search_;
  bool isPrepared_ = true;  // false while prepare() is in progress
};

}  // namespace

void addDivergenceRule(const Journal& journal, ProblemRules& rules) {
  rules.push_back(std::make_unique<Diverged>(journal));
}

}  // namespace shardlens
