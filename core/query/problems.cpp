#include "core/query/problems.h"

#include "core/query/rules/problem_rule.h"

#include <algorithm>

namespace shardlens {

namespace {

ProblemRules allRules(const Journal& journal) {
  ProblemRules rules;
  addValueRules(journal, rules);
  addRankRules(journal, rules);
  addMaskRules(journal, rules);
  addTrafficRules(journal, rules);
  addPlacementRules(journal, rules);
  addCacheRules(journal, rules);
  return rules;
}

}  // namespace

std::vector<Problem> findProblems(const Journal& journal) {
  const ProblemRules rules = allRules(journal);
  for (EventId id = 1; id <= journal.size(); ++id) {
    const Event event = journal.at(id);
    for (const auto& rule : rules) rule->take(id, event);
  }
  std::vector<Problem> problems;
  for (const auto& rule : rules) {
    rule->end();
    for (auto& one : rule->found().all()) {
      if (!one.problem.sentence.empty()) problems.push_back(std::move(one.problem));
    }
  }
  std::stable_sort(problems.begin(), problems.end(), [](const Problem& a, const Problem& b) {
    if (a.severity != b.severity) return a.severity < b.severity;
    const auto first = [](const Problem& problem) {
      return problem.events.empty() ? 0 : problem.events.front();
    };
    return first(a) < first(b);  // of one event, in the order of the rules
  });
  return problems;
}

std::vector<std::string> problemRules() {
  static const Journal kNone;
  std::vector<std::string> names;
  for (const auto& rule : allRules(kNone)) names.push_back(rule->found().rule());
  return names;
}

}  // namespace shardlens
