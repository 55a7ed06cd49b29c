#include "core/compare/run_differences.h"

#include "core/compare/value_difference.h"
#include "core/model/byte_count.h"
#include "core/trace/journal/tensor_ranks.h"
#include "core/view/words/names.h"
#include "core/view/words/units.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

namespace shardlens {
namespace {

using In = RunDifference::In;

bool isInName(char letter) {
  return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_' || letter == '\'';
}

// The events of one step that are compared, by kind.
struct StepFacts {
  std::vector<EventId> operators;
  std::vector<EventId> results;  // without intermediate results of implicit redistributions
  std::vector<EventId> moves;    // redistributions, implicit and explicit
  std::vector<EventId> plans;
  std::vector<EventId> collectives;
  std::vector<EventId> errors;

  StepFacts(const Journal& journal, StepRange step) {
    std::set<EventId> inMoves;  // events in implicit redistributions
    for (EventId id = step.first; id <= step.last; ++id) {
      const Event event = journal.at(id);
      const bool isMove = event.kind == EventKind::Redistribute;
      const bool isInMove = inMoves.contains(event.parent);
      if (isInMove || (isMove && event.verdict == Verdict::Implicit)) inMoves.insert(id);
      if (isMove) moves.push_back(id);
      if (event.kind == EventKind::Operator) operators.push_back(id);
      if (event.kind == EventKind::Plan) plans.push_back(id);
      if (event.kind == EventKind::Collective) collectives.push_back(id);
      if (event.kind == EventKind::Error) errors.push_back(id);
      if (event.kind == EventKind::Result && !isInMove && event.subject != 0) results.push_back(id);
    }
  }
};

class RunComparison {
 public:
  using Report = std::function<void(const RunDifference&)>;

  RunComparison(const Journal& left, const Journal& right, const EventPairs& events,
                const Report& report, const std::optional<Tolerance>& tolerance)
      : left_(left), right_(right), events_(events), report_(report), tolerance_(tolerance) {
    if (left.values().size() != 0 && right.values().size() != 0) ranks_ = hostedRanks(left);
  }

  void compareSettings() {
    for (const char* key : {"mesh", "backend", "masking", "planner", "emulate"}) {
      const auto ours = left_.meta(key);
      const auto theirs = right_.meta(key);
      if (ours == theirs) continue;
      report_({In::Settings, 0, 0,
               fmt::format("{}: {} in A, {} in B", key, orNone(ours), orNone(theirs))});
    }
  }

  void compare(const StepPair& pair) {
    if (!pair.left || !pair.right) {
      const bool isOurs = static_cast<bool>(pair.left);
      const Journal& journal = isOurs ? left_ : right_;
      const EventId first = isOurs ? pair.left.first : pair.right.first;
      report_({In::Program, pair.left.first, pair.right.first,
               fmt::format("only in {}: {}", isOurs ? "A" : "B",
                           view::truncated(journal.name(journal.at(first))))});
      return;
    }
    const StepFacts ours(left_, pair.left);
    const StepFacts theirs(right_, pair.right);
    noteNames(ours);
    compareTexts(pair);
    compareErrors(ours, theirs, pair);
    if (ours.errors.empty() == theirs.errors.empty()) compareWork(ours, theirs, pair);
    compareResults(ours);
    compareEach(In::Plans, ours.moves, theirs.moves, &RunComparison::moveText, pair);
    compareEach(In::Plans, ours.plans, theirs.plans, &RunComparison::planText, pair);
    compareEach(In::Collectives, ours.collectives, theirs.collectives,
                &RunComparison::collectiveText, pair);
  }

 private:
  using Text = std::string (RunComparison::*)(const Journal&, const Event&) const;

  static std::string_view orNone(std::string_view text) { return text.empty() ? "none" : text; }

  std::string nameIn(const Journal& journal, const std::string& name) const {
    if (&journal == &right_) return name;
    const auto other = otherNames_.find(name);
    return other == otherNames_.end() ? name : other->second;
  }

  // Returns a text of the left recording with tensor names replaced by those in the right one.
  std::string renamed(std::string_view text) const {
    std::string all;
    for (std::size_t at = 0; at < text.size();) {
      std::size_t end = at;
      while (end < text.size() && isInName(text[end])) ++end;
      all += nameIn(left_, std::string(text.substr(at, end - at)));
      if (end < text.size()) all += text[end++];
      at = end;
    }
    return all;
  }

  // Calls call(left event, right event, left tensor, right tensor) for each paired result.
  template <class Call>
  void forEachPair(const StepFacts& ours, const Call& call) const {
    for (const EventId left : ours.results) {
      const EventId right = events_.rightOf(left).value_or(0);
      const TensorId other = right == 0 ? 0 : right_.at(right).subject;
      if (other != 0) call(left, right, left_.at(left).subject, other);
    }
  }

  void noteNames(const StepFacts& ours) {
    forEachPair(ours, [&](EventId /*left*/, EventId /*right*/, TensorId tensor, TensorId other) {
      const std::string& name = left_.tensor(tensor).name;
      const std::string& otherName = right_.tensor(other).name;
      if (nameIn(left_, name) != otherName) otherNames_[name] = otherName;
    });
  }

  void compareTexts(const StepPair& pair) {
    const auto ours = left_.name(left_.at(pair.left.first));
    const auto theirs = right_.name(right_.at(pair.right.first));
    if (ours == theirs || renamed(ours) == theirs) return;
    report_({In::Program, pair.left.first, pair.right.first,
             fmt::format("{} in A, {} in B", view::truncated(ours), view::truncated(theirs))});
  }

  // Compares all errors of a step, because a program may catch an error and continue.
  void compareErrors(const StepFacts& ours, const StepFacts& theirs, const StepPair& pair) {
    for (const EventId left : ours.errors) {
      compareError(left, events_.rightOf(left).value_or(0), pair);
    }
    for (const EventId right : theirs.errors) {
      if (!events_.leftOf(right)) compareError(0, right, pair);
    }
  }

  // An event of 0 means that the recording has no such error.
  void compareError(EventId left, EventId right, const StepPair& pair) {
    const auto text = [](const Journal& journal, EventId id) {
      return id == 0
                 ? std::string("not refused")
                 : "refused (" + std::string(view::truncated(journal.name(journal.at(id)))) + ")";
    };
    const auto ours = text(left_, left);
    const auto theirs = text(right_, right);
    if (ours == theirs) return;
    report_({In::Program, left != 0 ? left : pair.left.first, right != 0 ? right : pair.right.first,
             ours + " in A, " + theirs + " in B"});
  }

  // Reports the first operator of each recording without a counterpart. Call it only if both steps
  // failed or neither did.
  void compareWork(const StepFacts& ours, const StepFacts& theirs, const StepPair& pair) {
    const auto alone = [&](std::vector<EventId> operators, const auto& isPaired) {
      std::erase_if(operators, isPaired);
      return operators;
    };
    const auto text = [](const Journal& journal, const std::vector<EventId>& events) {
      const std::string first(view::truncated(journal.name(journal.at(events.front()))));
      if (events.size() == 1) return first;
      return first + " and " + view::plural(count(events) - 1, "more operator");
    };
    const auto left =
        alone(ours.operators, [&](EventId id) { return events_.rightOf(id).has_value(); });
    const auto right =
        alone(theirs.operators, [&](EventId id) { return events_.leftOf(id).has_value(); });
    if (!left.empty()) {
      report_({In::Program, left.front(), events_.rightUpTo(left.front()),
               "only in A: " + text(left_, left)});
    }
    if (!right.empty()) {
      report_({In::Program, events_.leftUpTo(right.front()), right.front(),
               "only in B: " + text(right_, right)});
    }
    if (ours.operators.size() == theirs.operators.size() &&
        ours.results.size() != theirs.results.size()) {
      report_({In::Program, pair.left.first, pair.right.first,
               fmt::format("{} in A, {} in B", view::plural(count(ours.results), "result"),
                           view::plural(count(theirs.results), "result"))});
    }
  }

  void compareResults(const StepFacts& ours) {
    forEachPair(ours, [&](EventId left, EventId right, TensorId tensor, TensorId other) {
      compareResult(left, right, tensor, other);
    });
  }

  void compareResult(EventId left, EventId right, TensorId tensor, TensorId other) {
    const std::string name = left_.tensor(tensor).name;
    const std::string ours = specText(left_, tensor);
    const std::string theirs = specText(right_, other);
    if (ours != theirs) {
      report_(
          {In::Placements, left, right, fmt::format("{}: {} in A, {} in B", name, ours, theirs)});
      return;
    }
    // Masked rows of a partial result have no defined value; fused lookups write zeros. Do not
    // compare them between different masking modes.
    const bool sameMasking = left_.meta("masking") == right_.meta("masking");
    if (!sameMasking && hasMask(left_.tensor(tensor).placements)) return;
    const auto differ =
        valueDifference({&left_, tensor, left}, {&right_, other, right}, ranks_, tolerance_);
    if (differ) report_({In::Values, left, right, name + " on " + differ->text});
  }

  static std::int64_t count(const std::vector<EventId>& events) {
    return static_cast<std::int64_t>(events.size());
  }

  static std::string specText(const Journal& journal, TensorId id) {
    const TensorRecord tensor = journal.tensor(id);
    return view::tensorText(tensor) + " " + view::placedAsRecorded(tensor);
  }

  // Reports the first position at which the texts of two event lists differ.
  void compareEach(In in, const std::vector<EventId>& ours, const std::vector<EventId>& theirs,
                   Text text, const StepPair& pair) {
    for (std::size_t i = 0; i < std::max(ours.size(), theirs.size()); ++i) {
      const EventId left = i < ours.size() ? ours[i] : 0;
      const EventId right = i < theirs.size() ? theirs[i] : 0;
      const auto leftText = left == 0 ? "none" : (this->*text)(left_, left_.at(left));
      const auto rightText = right == 0 ? "none" : (this->*text)(right_, right_.at(right));
      if (leftText == rightText) continue;
      report_({in, left != 0 ? left : pair.left.first, right != 0 ? right : pair.right.first,
               fmt::format("{} in A, {} in B", leftText, rightText)});
      return;
    }
  }

  std::string moveText(const Journal& journal, const Event& event) const {
    return fmt::format("{}redistribution of {}: {}",
                       event.verdict == Verdict::Implicit ? "implicit " : "",
                       nameIn(journal, view::tensorName(journal, event.subject)),
                       view::truncated(journal.name(event)));
  }
  std::string planText(const Journal& journal, const Event& event) const {
    return fmt::format("plan {} in {}, each rank receives {}", view::truncated(journal.name(event)),
                       view::plural(event.count, "step"), byteCountText(event.bytes));
  }
  // Omits mesh dimensions: the ranks imply them, and recordings of jobs lack them.
  std::string collectiveText(const Journal& journal, const Event& event) const {
    return fmt::format("{} of ranks {} ({})", view::truncated(journal.name(event)),
                       view::truncated(journal.text(event.ranks)), byteCountText(event.bytes));
  }

  const Journal& left_;
  const Journal& right_;
  const EventPairs& events_;
  const Report& report_;
  std::optional<Tolerance> tolerance_;  // nullopt: that of each dtype
  std::vector<int> ranks_;              // ranks whose values are compared
  // Names in the right recording, by name in the left.
  std::map<std::string, std::string> otherNames_;
};

bool hasOperators(const Journal& journal) {
  for (EventId id = 1; id <= journal.size(); ++id) {
    if (journal.at(id).kind == EventKind::Operator) return true;
  }
  return false;
}

}  // namespace

std::string omittedText(const Journal& left, const Journal& right) {
  const bool hasLeft = left.values().size() != 0;
  const bool hasRight = right.values().size() != 0;
  if (hasLeft && hasRight) return {};
  if (!hasOperators(left) && !hasOperators(right)) return "only collectives were compared";
  return std::string("values were not compared: ") + (hasLeft    ? "B has none"
                                                      : hasRight ? "A has none"
                                                                 : "neither recording has any");
}

std::string_view nameOf(In in) {
  switch (in) {
    case In::Settings:
      return "settings";
    case In::Program:
      return "program";
    case In::Placements:
      return "placements";
    case In::Plans:
      return "plans";
    case In::Collectives:
      return "collectives";
    case In::Values:
      break;
  }
  return "values";
}

void compareRuns(const Journal& left, const Journal& right, const std::vector<StepPair>& steps,
                 const EventPairs& events, const std::function<void(const RunDifference&)>& report,
                 const Progress& progress, const std::optional<Tolerance>& tolerance) {
  RunComparison comparison(left, right, events, report, tolerance);
  comparison.compareSettings();
  double done = 0;
  for (const StepPair& pair : steps) {
    comparison.compare(pair);
    if (progress) progress(++done / static_cast<double>(steps.size()));
  }
}

}  // namespace shardlens
