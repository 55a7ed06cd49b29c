// Rules about the plain tensors of jobs, by the placements that are inferred for them.
#include "core/inference/words.h"
#include "core/query/problems/plain_inference.h"
#include "core/query/problems/rules/problem_rule.h"
#include "core/view/words/units.h"

#include <fmt/core.h>

#include <memory>
#include <utility>

namespace shardlens {
namespace {

// Returns the shortest text that identifies the number among those of 32 bits. A number that needs
// 64 bits has 8 digits.
std::string numberText(double number) {
  const auto narrow = static_cast<float>(number);
  return narrow == number ? fmt::format("{}", narrow) : fmt::format("{:.8g}", number);
}

std::string differenceText(const PlainFinding& finding) {
  const auto& found = finding.difference;
  if (!found) return {};
  std::string one = numberText(found->firstValue), other = numberText(found->secondValue);
  if (one == other) {  // numbers of 64 bits that differ in later digits
    one = fmt::format("{}", found->firstValue);
    other = fmt::format("{}", found->secondValue);
  }
  if (found->index == ContentDifference::kStatistics) {
    return fmt::format(" (a mean or extreme of {} on rank {}, of {} on rank {})", one, found->first,
                       other, found->second);
  }
  if (found->index == ContentDifference::kHashes) {
    return fmt::format(
        " (other hashes on rank {} and rank {}, with a mean or extreme of {} and {}; record with "
        "--values all to see elements)",
        found->first, found->second, one, other);
  }
  if (found->index < 0) {
    return fmt::format(" (ranks {} and {} have different shapes)", found->first, found->second);
  }
  return fmt::format(" ({} on rank {}, {} on rank {}, at local element {})", one, found->first,
                     other, found->second, found->index);
}

// Returns " on rank 3"; "" for a finding of all ranks.
std::string onRanks(const PlainFinding& finding) {
  return finding.ranks.empty() ? "" : " on " + view::ranksLabel(finding.ranks);
}

std::string sentenceOf(const PlainFinding& finding) {
  const std::string axis = axisText(finding.axis);
  switch (finding.fault) {
    case PlainFault::MissingReduction:
      return fmt::format("{} is not summed over {} before the optimizer's step{}: {}{}",
                         finding.tensor, axis, onRanks(finding),
                         finding.ranks.empty() ? "each rank has a part of the sum"
                                               : "only the remaining ranks use the result",
                         differenceText(finding));
    case PlainFault::GradientsDiffer:
      return fmt::format("{} differs over {} at the optimizer's step, but its parameter does not{}",
                         finding.tensor, axis, differenceText(finding));
    case PlainFault::ParametersDiffer:
      return fmt::format("{} differs over {}, but {}{}", finding.tensor, axis,
                         finding.isWritten ? "the ranks have written the same values into it"
                                           : "its gradient does not",
                         differenceText(finding));
    case PlainFault::ClaimContradicted:
      return fmt::format("{} over {} for {}, which {} contradicts{}", finding.claim, axis,
                         finding.tensor, finding.difference ? "its value" : "another fact",
                         differenceText(finding));
    case PlainFault::ClaimsDiffer:
      return fmt::format("{}, over {} for {}", finding.claim, axis, finding.tensor);
    case PlainFault::ReducedTwice:
      return fmt::format("an all_reduce over {} sums what another one has reduced already", axis);
    case PlainFault::ReducedShards:
      return fmt::format("{} is reduced over {}, along which its parameter is sharded",
                         finding.tensor, axis);
    case PlainFault::ReducedCopies:
      return fmt::format(
          "{} is summed over {}, along which the ranks have equal copies, and not divided by their "
          "number",
          finding.tensor, axis);
    case PlainFault::ReadEarly:
      return fmt::format("the optimizer reads {} before its reduction over {} is complete{}",
                         finding.tensor, axis, onRanks(finding));
    case PlainFault::SameSlice:
      if (finding.difference) {
        const bool hasElements = finding.difference->index != ContentDifference::kHashes;
        return fmt::format("{} is sharded over {}, but ranks {} and {} have the same slice, {} {}",
                           finding.tensor, axis, finding.difference->first,
                           finding.difference->second,
                           hasElements ? "which begins with" : "of equal hashes and the mean",
                           numberText(finding.difference->firstValue));
      }
      return fmt::format("{} is sharded over {}, but all of these ranks have the same slice",
                         finding.tensor, axis);
    case PlainFault::LoadedSlice:
      return finding.claim;
    case PlainFault::RandomDiffers:
      return fmt::format(
          "{} draws different random numbers over {} for a tensor that is equal on these ranks",
          finding.tensor, axis);
    case PlainFault::RandomAgrees:
      return fmt::format("{} draws the same random numbers over {} for different shards",
                         finding.tensor, axis);
  }
  return {};
}

class PlainRule final : public ProblemRule {
 public:
  PlainRule(const Journal& journal, std::shared_ptr<PlainInference> inference, PlainFault fault,
            std::string name, std::string advice, Problem::Severity severity)
      : ProblemRule(journal, std::move(name), severity),
        inference_(std::move(inference)),
        fault_(fault),
        advice_(std::move(advice)) {}

  bool judgesOutcomes() const override { return true; }
  void take(EventId /*id*/, const Event& /*event*/) override {}  // ProblemSearch feeds inference_
  // One problem per axis, with the first tensor that shows it.
  std::vector<Problem> problems(RunState run) const override {
    Found found = found_.none();
    const auto inferred = inference_->of(run);
    if (inferred == nullptr) return {};
    for (const auto& finding : inferred->findings) {
      if (finding.fault != fault_) continue;
      auto& problem = found.add(finding.axis.name, finding.event).problem;
      if (!problem.sentence.empty()) continue;
      problem.sentence = sentenceOf(finding);
      problem.advice = advice_;
    }
    return found.problems();
  }

 private:
  std::shared_ptr<PlainInference> inference_;
  PlainFault fault_;
  std::string advice_;
};

}  // namespace

void addPlainRules(const Journal& journal, const std::shared_ptr<PlainInference>& inference,
                   ProblemRules& rules) {
  using Severity = Problem::Severity;
  const auto add = [&](PlainFault fault, const char* name, const char* advice,
                       Severity severity = Severity::Error) {
    rules.push_back(std::make_unique<PlainRule>(journal, inference, fault, name, advice, severity));
  };
  add(PlainFault::MissingReduction, "missing-reduction",
      "call all_reduce on the gradient before the optimizer's step");
  add(PlainFault::GradientsDiffer, "gradients-differ",
      "check that all ranks reduce this gradient, and over the same group");
  add(PlainFault::ParametersDiffer, "parameters-differ",
      "broadcast the parameter before the first step, or do not reduce the gradient of a shard");
  add(PlainFault::ClaimContradicted, "claim-contradicted",
      "either the statement or the computation before it is wrong");
  add(PlainFault::ClaimsDiffer, "claims-differ",
      "the ranks of a group must state the same placement of a tensor");
  add(PlainFault::ReducedTwice, "reduced-twice",
      "the values are multiplied by the size of the group: remove one of the reductions");
  add(PlainFault::ReducedShards, "reduced-shards",
      "the ranks have gradients of different elements: reduce over the axis of the data instead");
  add(PlainFault::ReducedCopies, "reduced-copies",
      "remove the reduction, or divide by the number of ranks");
  add(PlainFault::ReadEarly, "gradient-read-early",
      "call all_reduce, and wait for it, before the optimizer's step");
  add(PlainFault::SameSlice, "same-slice",
      "check which slice each rank loads, or the seed with which it initialises the parameter",
      Severity::Warning);
  add(PlainFault::LoadedSlice, "loaded-slice",
      "check the offsets that this rank requests from the checkpoint");
  add(PlainFault::RandomDiffers, "random-differs",
      "set the same seed on these ranks before the operator");
  add(PlainFault::RandomAgrees, "random-agrees",
      "set a different seed on each of these ranks before the operator", Severity::Warning);
}

}  // namespace shardlens
