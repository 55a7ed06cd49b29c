// Rules about the plain tensors of jobs, by the placements that are inferred for them.
#include "core/inference/inference.h"
#include "core/inference/words.h"
#include "core/query/problems/rules/problem_rule.h"

#include <fmt/core.h>

#include <memory>
#include <utility>

namespace shardlens {
namespace {

// What is inferred from a journal, for all rules here. While the journal grows, it is inferred
// again only when the journal has doubled.
class PlainFindings {
 public:
  explicit PlainFindings(const Journal& journal) : journal_(journal) {}

  void take(EventId id, const Event& event) {
    const bool isPlain = event.kind == EventKind::Operator && event.detail != 0;
    if (isPlain && first_ == 0) first_ = id;
  }
  const std::vector<PlainFinding>& of(RunState run) {
    const bool isNew =
        run == RunState::Ended ? journal_.size() != size_ : journal_.size() > 2 * size_;
    if (first_ != 0 && isNew) {
      size_ = journal_.size();
      findings_ = inferPlacements(journal_).findings;
    }
    return findings_;
  }

 private:
  const Journal& journal_;
  EventId first_ = 0;  // operator on plain tensors
  EventId size_ = 0;   // of the journal at the last inference
  std::vector<PlainFinding> findings_;
};

std::string differenceText(const PlainFinding& finding) {
  const auto& found = finding.difference;
  if (!found) return {};
  if (found->index < 0) {
    return fmt::format(" (ranks {} and {} have different shapes)", found->first, found->second);
  }
  return fmt::format(" ({} on rank {}, {} on rank {}, at local element {})", found->firstValue,
                     found->first, found->secondValue, found->second, found->index);
}

std::string sentenceOf(const PlainFinding& finding) {
  const std::string axis = axisText(finding.axis);
  switch (finding.fault) {
    case PlainFault::MissingReduction:
      return fmt::format(
          "{} is not summed over {} before the optimizer's step: each rank has a part "
          "of the sum{}",
          finding.tensor, axis, differenceText(finding));
    case PlainFault::GradientsDiffer:
      return fmt::format("{} differs over {} at the optimizer's step, but its parameter does not{}",
                         finding.tensor, axis, differenceText(finding));
    case PlainFault::ParametersDiffer:
      return fmt::format("{} differs over {}, but its gradient does not{}", finding.tensor, axis,
                         differenceText(finding));
    case PlainFault::ClaimContradicted:
      return fmt::format("assert_placement states {} over {} for {}, which {} contradicts{}",
                         finding.claim, axis, finding.tensor,
                         finding.difference ? "its value" : "another fact",
                         differenceText(finding));
    case PlainFault::ReducedTwice:
      return fmt::format("an all_reduce over {} sums what another one has summed already", axis);
  }
  return {};
}

class PlainRule final : public ProblemRule {
 public:
  PlainRule(const Journal& journal, std::shared_ptr<PlainFindings> findings, PlainFault fault,
            std::string name, std::string advice)
      : ProblemRule(journal, std::move(name), Problem::Severity::Error),
        findings_(std::move(findings)),
        fault_(fault),
        advice_(std::move(advice)) {}

  void take(EventId id, const Event& event) override { findings_->take(id, event); }
  // One problem per axis, with the first tensor that shows it.
  std::vector<Problem> problems(RunState run) const override {
    Found found = found_.none();
    for (const auto& finding : findings_->of(run)) {
      if (finding.fault != fault_) continue;
      auto& problem = found.add(finding.axis.name, finding.event).problem;
      if (!problem.sentence.empty()) continue;
      problem.sentence = sentenceOf(finding);
      problem.advice = advice_;
    }
    return found.problems();
  }

 private:
  std::shared_ptr<PlainFindings> findings_;
  PlainFault fault_;
  std::string advice_;
};

}  // namespace

void addPlainRules(const Journal& journal, ProblemRules& rules) {
  const auto findings = std::make_shared<PlainFindings>(journal);
  const auto add = [&](PlainFault fault, const char* name, const char* advice) {
    rules.push_back(std::make_unique<PlainRule>(journal, findings, fault, name, advice));
  };
  add(PlainFault::MissingReduction, "missing-reduction",
      "call all_reduce on the gradient before the optimizer's step");
  add(PlainFault::GradientsDiffer, "gradients-differ",
      "check that all ranks reduce this gradient, and over the same group");
  add(PlainFault::ParametersDiffer, "parameters-differ",
      "broadcast the parameter before the first step, or do not reduce the gradient of a shard");
  add(PlainFault::ClaimContradicted, "claim-contradicted",
      "either the statement or the computation before it is wrong");
  add(PlainFault::ReducedTwice, "reduced-twice",
      "the values are multiplied by the size of the group: remove one of the reductions");
}

}  // namespace shardlens
