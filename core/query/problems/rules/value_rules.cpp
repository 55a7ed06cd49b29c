// Rules about refused steps and results that differ from plain tensors.
#include "core/query/problems/rules/problem_rule.h"
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
  Refused(const Journal& journal, bool someDied)
      : ProblemRule(journal, "refused-step", Problem::Severity::Error),
        withoutPeer_(found_.none()),
        someDied_(someDied) {}

  void take(EventId id, const Event& event) override {
    if (event.kind != EventKind::Error) return;
    const std::string message(journal_.name(event));
    auto& problem = (isOfLostPeer(message) ? withoutPeer_ : found_).add(message, id).problem;
    problem.sentence = view::truncated(message);
  }

  std::vector<Problem> problems(RunState /*run*/) const override {
    auto all = found_.problems();
    return all.empty() && !someDied_ ? withoutPeer_.problems() : all;
  }

 private:
  Found withoutPeer_;
  bool someDied_;
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

bool isOfLostPeer(std::string_view message) {
  constexpr std::string_view kTexts[] = {"Connection closed by peer", "Connection reset by peer",
                                         "Broken pipe", "remote process exited"};
  return std::ranges::any_of(
      kTexts, [&](auto text) { return message.find(text) != std::string_view::npos; });
}

void addValueRules(const Journal& journal, const std::vector<int>& lost, ProblemRules& rules) {
  rules.push_back(std::make_unique<Refused>(journal, !lost.empty()));
  rules.push_back(std::make_unique<Differing>(journal));
}

}  // namespace shardlens
