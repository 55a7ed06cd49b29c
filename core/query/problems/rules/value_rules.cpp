// Rules about refused steps and results that differ from plain tensors.
#include "core/query/problems/rules/problem_rule.h"
#include "core/trace/journal/tensor_ranks.h"
#include "core/trace/records/check_record.h"
#include "core/view/words/detail_words.h"
#include "core/view/words/names.h"

#include <fmt/core.h>

#include <algorithm>

namespace shardlens {

namespace {

// refused-step: Error events, one problem per message. Collectives that fail because a peer has
// gone are reported only if nothing is known of the peer.
class Refused final : public ProblemRule {
 public:
  Refused(const Journal& journal, LostRanks lost)
      : ProblemRule(journal, "refused-step", Problem::Severity::Error),
        withoutPeer_(found_.none()),
        lost_(std::move(lost)) {}

  void take(EventId id, const Event& event) override {
    if (event.kind != EventKind::Error) return;
    const std::string message(journal_.name(event));
    auto& problem = (isOfLostPeer(message) ? withoutPeer_ : found_).add(message, id).problem;
    problem.sentence = view::truncated(message);
  }

  std::vector<Problem> problems(RunState /*run*/) const override {
    auto all = found_.problems();
    if (all.empty() && lost_->empty()) all = withoutPeer_.problems();
    for (Problem& problem : all) problem.sentence = ranksText(problem) + problem.sentence;
    return all;
  }

 private:
  // Returns "rank 3: " if other ranks of the run do not raise the error; else "".
  std::string ranksText(const Problem& problem) const {
    if (!journal_.isMerged()) return {};
    std::vector<int> absent = hostedRanks(journal_);
    std::vector<int> ranks = absent;
    for (const EventId id : problem.events) {
      const auto without = absentRanks(journal_, id);
      std::erase_if(absent, [&](int rank) { return !std::ranges::binary_search(without, rank); });
    }
    std::erase_if(ranks, [&](int rank) { return std::ranges::binary_search(absent, rank); });
    return absent.empty() || ranks.empty() ? "" : view::ranksLabel(ranks) + ": ";
  }

  Found withoutPeer_;
  LostRanks lost_;
};

// differs-from-plain: a result differs from that of plain tensors.
class Differing final : public ProblemRule {
 public:
  explicit Differing(const Journal& journal)
      : ProblemRule(journal, "differs-from-plain", Problem::Severity::Error) {}

  bool judgesOutcomes() const override { return true; }
  // Describes the first difference only, because later ones usually follow from it.
  void take(EventId id, const Event& event) override {
    if (event.verdict != Verdict::Differs) return;
    auto& problem = found_.add("", id).problem;
    if (problem.times > 1) return;
    const CheckRecord check = readCheck(journal_.detail(event));
    problem.sentence = std::string(journal_.name(event)) + " differs from plain torch";
    if (!check.why.empty()) problem.sentence += ": " + check.why;
    if (!check.got.empty()) {
      problem.sentence +=
          fmt::format(": got {} on rank {}, expected {}", check.got, check.rank, check.expected);
      if (!check.bound.empty()) problem.sentence += ", " + view::boundText(check);
    }
    problem.advice = isProduced(id)
                         ? "its inputs match plain torch: look at the events just before it"
                         : "the program made it: check the values on each rank";
  }

 private:
  // Returns true if the step of a check called an operator or a redistribution before it.
  bool isProduced(EventId check) const {
    EventId id = check - 1;
    const auto isCall = [this](EventId each) {
      const EventKind kind = journal_.at(each).kind;
      return kind == EventKind::Operator || kind == EventKind::Redistribute;
    };
    while (id > journal_.at(check).parent && !isCall(id)) --id;
    return id > journal_.at(check).parent;
  }
};

}  // namespace

void addValueRules(const Journal& journal, const LostRanks& lost, ProblemRules& rules) {
  rules.push_back(std::make_unique<Refused>(journal, lost));
  rules.push_back(std::make_unique<Differing>(journal));
}

}  // namespace shardlens
