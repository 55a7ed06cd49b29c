#include "core/query/problems/problems.h"

#include "core/query/problems/consequences.h"
#include "core/query/problems/plain_inference.h"
#include "core/query/problems/rules/problem_rule.h"
#include "core/trace/records/site_record.h"
#include "core/view/words/place_text.h"

#include <algorithm>
#include <iterator>

namespace shardlens {

namespace {

ProblemRules allRules(const Journal& journal, const LostRanks& lost,
                      const std::shared_ptr<PlainInference>& inference,
                      const std::shared_ptr<EventId>& undefinedFrom) {
  ProblemRules rules;
  addValueRules(journal, lost, rules);
  addFiniteRules(journal, rules);
  addCopyRules(journal, rules);
  addRankRules(journal, lost, undefinedFrom, rules);
  addDivergenceRule(journal, rules);
  addLateRankRule(journal, rules);
  addMaskRules(journal, rules);
  addPartialRules(journal, rules);
  addTrafficRules(journal, rules);
  addOperatorRules(journal, rules);
  addPlacementRules(journal, rules);
  addPlainRules(journal, inference, rules);
  addCacheRules(journal, rules);
  return rules;
}

void addPlace(const Journal& journal, Problem& problem) {
  if (problem.events.empty()) return;
  const Event event = journal.at(problem.events.front());
  problem.place = view::placeText(journal, event);
  problem.module = readSite(journal.text(event.site)).module;
}

}  // namespace

ProblemSearch::ProblemSearch(const Journal& journal, const std::vector<int>& lost,
                             view::Notation notation)
    : journal_(journal),
      notation_(notation),
      lost_(std::make_shared<std::vector<int>>(lost)),
      inference_(std::make_shared<PlainInference>(journal)),
      undefinedFrom_(std::make_shared<EventId>(0)),
      rules_(allRules(journal, lost_, inference_, undefinedFrom_)) {
  for (const auto& rule : rules_) rule->setNotation(notation);
}

ProblemSearch::~ProblemSearch() = default;

void ProblemSearch::look(EventId most) {
  const EventId last = seen_ + std::min(most, journal_.size() - seen_);
  while (seen_ < last) {
    const Event event = journal_.at(++seen_);
    hasSeenChecks_ |= event.kind == EventKind::Check;
    inference_->take(event);
    for (const auto& rule : rules_) {
      if (*undefinedFrom_ == 0 || !rule->judgesOutcomes()) rule->take(seen_, event);
    }
  }
}

bool ProblemSearch::prepare(const std::function<bool()>& mayGoOn) {
  return std::ranges::all_of(rules_, [&](const auto& rule) { return rule->prepare(mayGoOn); });
}

std::vector<Problem> ProblemSearch::problems(RunState run) const {
  std::vector<Problem> problems;
  for (const auto& rule : rules_) {
    auto found = rule->problems(run);
    if (*undefinedFrom_ != 0 && rule->judgesOutcomes()) {
      std::erase_if(found, [this](const Problem& problem) {
        return !problem.events.empty() && problem.events.front() > *undefinedFrom_;
      });
    }
    problems.insert(problems.end(), std::make_move_iterator(found.begin()),
                    std::make_move_iterator(found.end()));
  }
  const bool areFolded = foldConsequences(journal_, *lost_, notation_, problems);
  for (Problem& problem : problems) addPlace(journal_, problem);
  std::stable_sort(problems.begin(), problems.end(), [](const Problem& a, const Problem& b) {
    if (a.severity != b.severity) return a.severity < b.severity;
    const bool isWarning = a.severity == Problem::Severity::Warning;
    if (isWarning && a.bytes != b.bytes) return a.bytes > b.bytes;
    const auto first = [](const Problem& problem) {
      return problem.events.empty() ? 0 : problem.events.front();
    };
    return first(a) < first(b);  // ties keep the order of the rules
  });
  if (areFolded) putCauseFirst(journal_, problems);
  return problems;
}

std::shared_ptr<const InferredPlacements> ProblemSearch::inferred(RunState run) const {
  return inference_->of(run);
}

std::vector<Problem> findProblems(const Journal& journal, const std::vector<int>& lost,
                                  RunState run, view::Notation notation) {
  ProblemSearch search(journal, lost, notation);
  search.look(journal.size());
  return search.problems(run);
}

std::vector<Problem> findProblems(TraceReader& reader, view::Notation notation) {
  return findProblems(reader.journal(), reader.lostRanks(),
                      reader.mayGrow() || reader.hasLater() ? RunState::Running : RunState::Ended,
                      notation);
}

std::vector<Problem> problemsOf(const std::vector<RankRange>& ranks, const Journal& journal,
                                std::vector<Problem> problems) {
  std::erase_if(problems, [&](const Problem& problem) {
    return !problem.events.empty() && std::ranges::none_of(problem.events, [&](EventId id) {
      return areMeeting(parseRankRanges(journal.text(journal.at(id).ranks)), ranks);
    });
  });
  return problems;
}

std::vector<std::string> problemRules() {
  static const Journal kNone;
  std::vector<std::string> names;
  for (const auto& rule : allRules(kNone, std::make_shared<const std::vector<int>>(), nullptr,
                                   std::make_shared<EventId>(0)))
    names.push_back(rule->name());
  return names;
}

}  // namespace shardlens
