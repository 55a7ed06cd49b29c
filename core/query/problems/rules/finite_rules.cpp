// Rules about NaN and infinities: the first operator that makes one.
#include "core/model/operator_words.h"
#include "core/query/problems/finite_values.h"
#include "core/query/problems/rules/last_writes.h"
#include "core/query/problems/rules/problem_rule.h"
#include "core/trace/journal/tensor_ranks.h"
#include "core/view/words/names.h"
#include "core/view/words/place_text.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace shardlens {

namespace {

const char* infinityText(const NotFinite& found) { return found.isNegative ? "-inf" : "inf"; }

// Common to both rules, which share a FiniteValues.
class FiniteRule : public ProblemRule {
 public:
  FiniteRule(const Journal& journal, const char* name, Problem::Severity severity,
             std::shared_ptr<FiniteValues> values)
      : ProblemRule(journal, name, severity), values_(std::move(values)) {}
  bool judgesOutcomes() const override { return true; }

 protected:
  // Returns "the redistribution of x" or the operator around an event; "" for a tensor that the
  // program created.
  std::string opOf(EventId id) const {
    const EventId maker = makerOf(journal_, id);
    if (maker == 0) return {};
    const Event event = journal_.at(maker);
    if (event.kind != EventKind::Redistribute) return std::string(journal_.name(event));
    return "the redistribution of " + view::tensorName(journal_, event.subject);
  }
  std::string tensorOf(EventId id) const {
    return view::tensorName(journal_, journal_.at(id).subject);
  }
  // Returns "event 9, line 4".
  std::string whereText(EventId id) const {
    const std::string place = view::placeText(journal_, journal_.at(id));
    return fmt::format("event {}", journal_.numberOf(id)) + (place.empty() ? "" : ", " + place);
  }
  // Returns "aten.log produces NaN: y on ranks 0–3", or "w contains NaN on rank 0 when it is
  // created". An operator is said to produce it only if it computes, and if all writes and all its
  // inputs were recorded: else "y contains NaN on rank 0 when aten.t reads it", "y contains NaN on
  // rank 0 after aten.lerp_, whose input x has no recorded value", "NaN after aten.log, whose
  // recorded inputs have none: y on rank 0".
  std::string sentence(const NotFinite& found, const char* what) const {
    const std::string op = opOf(found.event), tensor = tensorOf(found.event);
    const std::string ranks = view::ranksLabel(found.ranks);
    if (op.empty())
      return fmt::format("{} contains {} on {} when it is created", tensor, what, ranks);
    if (const TensorId viewed = viewedBy(found.event); viewed != 0) {
      return fmt::format("{} contains {} on {} when {} reads it",
                         view::tensorName(journal_, viewed), what, ranks, op);
    }
    const auto unknown = unrecordedInputs(found);
    if (unknown.empty()) {
      const std::string cause =
          recordsAllWrites(journal_)
              ? fmt::format("{} produces {}", op, what)
              : fmt::format("{} after {}, whose recorded inputs have none", what, op);
      return fmt::format("{}: {} on {}", cause, tensor, ranks);
    }
    return fmt::format(
        "{} contains {} on {} after {}, whose {}", tensor, what, ranks, op,
        unknown.size() == 1
            ? fmt::format("input {} has no recorded value", unknown.front())
            : fmt::format("inputs {} have no recorded values", fmt::join(unknown, ", ")));
  }

  // Returns the tensor that a result is a view of, which computes nothing; 0 if it is none.
  TensorId viewedBy(EventId id) const {
    const EventId maker = makerOf(journal_, id);
    const Event event = journal_.at(maker);
    const auto inputs = inputsOf(journal_, id);
    const bool isView = event.kind == EventKind::Operator && inputs.size() == 1 &&
                        isMemoryView(wordOf(journal_.name(event)));
    return isView ? inputs.front() : 0;
  }

  // For a tensor that changed without a recorded write, as by its memory being filled again.
  std::string viewedText(const NotFinite& found) const {
    const auto value = found.ranks.empty()
                           ? std::nullopt
                           : journal_.value(viewedBy(found.event), found.ranks.front(),
                                            makerOf(journal_, found.event));
    if (!value) return "no value of it was recorded before";
    return fmt::format(
        "it was finite when it was last recorded ({}): a write that is not recorded "
        "made it",
        whereText(value->event));
  }

  // Returns the names of the operator's inputs without a value on the first of the ranks.
  std::vector<std::string> unrecordedInputs(const NotFinite& found) const {
    std::vector<std::string> names;
    const EventId maker = makerOf(journal_, found.event);
    if (found.ranks.empty() || journal_.at(maker).kind != EventKind::Operator) return names;
    for (const TensorId input : inputsOf(journal_, found.event)) {
      if (!journal_.value(input, found.ranks.front(), maker)) {
        names.push_back(view::tensorName(journal_, input));
      }
    }
    return names;
  }

  std::shared_ptr<FiniteValues> values_;
};

// not-a-number: the first tensors with NaN. This rule feeds the shared FiniteValues.
class NotANumber final : public FiniteRule {
 public:
  NotANumber(const Journal& journal, std::shared_ptr<FiniteValues> values)
      : FiniteRule(journal, "not-a-number", Problem::Severity::Error, std::move(values)) {}

  void take(EventId id, const Event& event) override { values_->take(id, event); }

  std::vector<Problem> problems(RunState /*run*/) const override {
    Found found = found_.none();
    const auto findings = values_->findings();
    for (const NotFinite& nan : findings.nans) {
      auto& problem = found.add(opOf(nan.event) + " " + tensorOf(nan.event), nan.event).problem;
      if (!problem.sentence.empty()) continue;
      if (nan.reader != 0) {
        describeUnwritten(nan, problem);
        continue;
      }
      problem.sentence = sentence(nan, "NaN");
      problem.advice = nan.other != 0             ? infinityAdvice(nan.other, findings.infinities)
                       : nan.isGiven              ? givenText(nan)
                       : viewedBy(nan.event) != 0 ? viewedText(nan)
                                                  : inputsText(nan);
    }
    return found.problems();
  }

 private:
  void describeUnwritten(const NotFinite& nan, Problem& problem) const {
    problem.sentence = fmt::format(
        "{} reads uninitialised memory: {} has NaN on {}, because {} was not written",
        opOf(nan.reader), tensorOf(nan.reader), view::ranksLabel(nan.ranks), tensorOf(nan.event));
    problem.advice = fmt::format("write all of {} before it is read ({})", tensorOf(nan.event),
                                 whereText(nan.reader));
  }

  std::string infinityAdvice(EventId id, const std::vector<NotFinite>& infinities) const {
    const auto origin = std::ranges::find(infinities, id, &NotFinite::event);
    if (origin == infinities.end()) return {};
    const std::string tensor = tensorOf(id);
    return fmt::format("it follows from {} in {} on {}, which {} ({})", infinityText(*origin),
                       tensor, view::ranksLabel(origin->ranks),
                       origin->isGiven              ? std::string("the program gives")
                       : recordsAllWrites(journal_) ? opOf(id) + " produces"
                                                    : "is first recorded after " + opOf(id),
                       whereText(id));
  }

  std::string givenText(const NotFinite& nan) const {
    return makerOf(journal_, nan.event) == 0
               ? "no operator computed it: the data of the program has it"
               : "the program gives it to this operator";
  }

  // Returns the ranges of the finite inputs on the first of the ranks, before the operator or
  // redistribution began: "finite recorded inputs: x is -3 to 2 on rank 0".
  std::string inputsText(const NotFinite& nan) const {
    std::string text;
    if (nan.ranks.empty()) return "no finite values of its inputs were recorded";
    const int rank = nan.ranks.front();
    const EventId maker = makerOf(journal_, nan.event);
    for (const TensorId input : inputsOf(journal_, nan.event)) {
      const auto value = journal_.value(input, rank, maker);
      if (!value || !isFinite(value->statistics)) continue;
      text += fmt::format("{} {} is {:.6g} to {:.6g}", text.empty() ? "" : ",",
                          view::tensorName(journal_, input), value->statistics.min,
                          value->statistics.max);
    }
    return text.empty() ? "no finite values of its inputs were recorded"
                        : fmt::format("finite recorded inputs:{} on rank {}", text, rank);
  }
};

// infinity: the first tensors with infinities that an operator computes. Infinities that the
// program gives, as in an attention mask, are no problem.
class Infinity final : public FiniteRule {
 public:
  Infinity(const Journal& journal, std::shared_ptr<FiniteValues> values)
      : FiniteRule(journal, "infinity", Problem::Severity::Warning, std::move(values)) {}

  void take(EventId /*id*/, const Event& /*event*/) override {}

  std::vector<Problem> problems(RunState /*run*/) const override {
    Found found = found_.none();
    for (const NotFinite& infinity : values_->findings().infinities) {
      if (infinity.isGiven) continue;
      const EventId event = infinity.event;
      auto& problem = found.add(opOf(event) + " " + tensorOf(event), event).problem;
      if (infinity.other != 0) problem.severity = Problem::Severity::Error;
      if (!problem.sentence.empty()) continue;
      problem.sentence = sentence(infinity, infinityText(infinity));
      problem.advice =
          infinity.other != 0 ? fmt::format("NaN follows in {} ({})", tensorOf(infinity.other),
                                            whereText(infinity.other))
          : viewedBy(event) != 0
              ? viewedText(infinity)
              : "no recorded input has an infinity: a division by 0, log(0), or an overflow";
    }
    return found.problems();
  }
};

}  // namespace

void addFiniteRules(const Journal& journal, ProblemRules& rules) {
  constexpr EventId kDelay = 256;
  const auto values = std::make_shared<FiniteValues>(journal, kDelay);
  rules.push_back(std::make_unique<NotANumber>(journal, values));
  rules.push_back(std::make_unique<Infinity>(journal, values));
}

}  // namespace shardlens
