// Rules about operators that run on replicated inputs, because they have no sharding rule.
#include "core/query/language/event_around.h"
#include "core/query/problems/rules/problem_rule.h"
#include "core/trace/records/candidates_record.h"
#include "core/view/words/names.h"

#include <fmt/core.h>

namespace shardlens {

namespace {

// missing-rule: an operator without a sharding rule ran on replicated inputs.
class MissingRule final : public ProblemRule {
 public:
  explicit MissingRule(const Journal& journal)
      : ProblemRule(journal, "missing-rule", Problem::Severity::Warning) {}

  void take(EventId id, const Event& event) override {
    if (event.kind != EventKind::Candidates || journal_.text(event.name) != kNoRule) return;
    const EventId call = aroundOf(journal_, id, EventKind::Operator);
    if (call == 0) return;
    const std::string op = view::truncated(journal_.text(journal_.at(call).name));
    auto& problem = found_.add(op, call).problem;
    problem.sentence =
        fmt::format("{} has no sharding rule: every rank ran it on replicated inputs", op);
    problem.advice = "write its rule, or use operators that have one";
  }
};

}  // namespace

void addOperatorRules(const Journal& journal, ProblemRules& rules) {
  rules.push_back(std::make_unique<MissingRule>(journal));
}

}  // namespace shardlens
