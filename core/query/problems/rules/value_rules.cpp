// Rules about refused steps, results that differ from plain tensors, and NaN.
#include "core/query/language/event_around.h"
#include "core/query/problems/rules/problem_rule.h"
#include "core/trace/records/check_record.h"
#include "core/view/words/names.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

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
    problem.advice = "the message states what was found and what was expected";
  }

  std::vector<Problem> problems(RunState /*run*/) const override {
    auto all = found_.problems();
    return all.empty() && !someDied_ ? withoutPeer_.problems() : all;
  }

 private:
  // Returns true for the messages of Gloo and NCCL about a connection that the peer has ended.
  static bool isOfLostPeer(const std::string& message) {
    constexpr std::string_view kTexts[] = {"Connection closed by peer", "Connection reset by peer",
                                           "Broken pipe", "remote process exited"};
    return std::ranges::any_of(kTexts,
                               [&](auto text) { return message.find(text) != std::string::npos; });
  }

  Found withoutPeer_;
  bool someDied_;
};

// differs-from-plain: a result differs from that of plain tensors.
class Differing final : public ProblemRule {
 public:
  explicit Differing(const Journal& journal)
      : ProblemRule(journal, "differs-from-plain", Problem::Severity::Error) {}

  // Describes the first difference only, because later ones usually follow from it.
  void take(EventId id, const Event& event) override {
    if (event.verdict != Verdict::Differs) return;
    auto& problem = found_.add("", id).problem;
    if (problem.times > 1) return;
    const CheckRecord check = readCheck(journal_.detail(event));
    problem.sentence = std::string(journal_.name(event)) + " differs from plain torch";
    if (!check.got.empty()) {
      problem.sentence +=
          fmt::format(": got {} on rank {}, expected {}", check.got, check.rank, check.expected);
    }
    problem.advice = "its inputs match plain torch: look at the events just before it";
  }
};

// not-a-number: the first tensors with NaN. Events are judged kAfter events later, because values
// may arrive after their event.
class NotANumber final : public ProblemRule {
  using Tensors = std::set<TensorId>;

 public:
  explicit NotANumber(const Journal& journal)
      : ProblemRule(journal, "not-a-number", Problem::Severity::Error) {}

  void take(EventId id, const Event& /*event*/) override {
    seen_ = id;
    if (seen_ - judged_ < 2 * kAfter) return;
    const EventId last = seen_ - kAfter;
    for (const EventId with : journal_.values().eventsWithNans(judged_, last)) {
      judge(with, found_, tensors_);
    }
    judged_ = last;
  }

  std::vector<Problem> problems(RunState /*run*/) const override {
    Found found = found_;
    Tensors newest;
    for (const EventId with : journal_.values().eventsWithNans(judged_, seen_)) {
      judge(with, found, newest);
    }
    return found.problems();
  }

 private:
  // Reports a tensor with NaN unless an input had NaN before. Inserts it into `newest`.
  void judge(EventId id, Found& found, Tensors& newest) const {
    const Event event = journal_.at(id);
    if (event.subject == 0) return;
    const EventId call = aroundOf(journal_, id, EventKind::Operator);
    const bool isInherited = hasInput(call, newest) || has(event.subject, newest);
    newest.insert(event.subject);
    if (isInherited) return;
    const std::string tensor = view::tensorName(journal_, event.subject);
    const std::string op = call == 0 ? "" : std::string(journal_.name(journal_.at(call)));
    auto& problem = found.add(op + " " + tensor, id).problem;
    problem.sentence =
        op.empty() ? tensor + " contains NaN when it is created" : op + " produces NaN: " + tensor;
    problem.advice = "its inputs contain no NaN: check them for infinities and extreme values";
  }

  bool has(TensorId tensor, const Tensors& newest) const {
    return tensors_.contains(tensor) || newest.contains(tensor);
  }

  bool hasInput(EventId call, const Tensors& newest) const {
    if (call == 0) return false;
    const auto inputs = journal_.inputs(call);
    return std::any_of(inputs.begin(), inputs.end(),
                       [&](TensorId input) { return has(input, newest); });
  }

  EventId seen_ = 0;
  EventId judged_ = 0;  // events up to here were judged finally
  Tensors tensors_;     // tensors with NaN
};

}  // namespace

void addValueRules(const Journal& journal, const std::vector<int>& lost, ProblemRules& rules) {
  rules.push_back(std::make_unique<Refused>(journal, !lost.empty()));
  rules.push_back(std::make_unique<Differing>(journal));
  rules.push_back(std::make_unique<NotANumber>(journal));
}

}  // namespace shardlens
