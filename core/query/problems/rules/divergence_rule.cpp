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
      : ProblemRule(journal, "divergence", Problem::Severity::Warning) {}

  bool judgesOutcomes() const override { return true; }
  void take(EventId /*id*/, const Event& /*event*/) override {}

  std::vector<Problem> problems(RunState /*run*/) const override {
    if (searched_ != journal_.size()) {
      searched_ = journal_.size();
      divergences_ = divergences(journal_);
    }
    Found found = found_.none();
    for (const auto& each : divergences_) {
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

  mutable std::vector<Divergence> divergences_;
  mutable EventId searched_ = 0;  // size of the journal in which they were found
};

}  // namespace

void addDivergenceRule(const Journal& journal, ProblemRules& rules) {
  rules.push_back(std::make_unique<Diverged>(journal));
}

}  // namespace shardlens
