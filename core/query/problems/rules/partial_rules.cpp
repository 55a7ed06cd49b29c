// Rules about partial values that ranks use as if they were the sum.
#include "core/query/problems/rules/problem_rule.h"
#include "core/view/words/names.h"
#include "core/view/words/placement_words.h"

#include <fmt/core.h>

#include <algorithm>

namespace shardlens {

namespace {

// partial-read: to_local() or item() on a partial tensor. For item(), the engine may reduce the
// tensor first; then it is no problem.
class PartialRead final : public LateRule {
 public:
  explicit PartialRead(const Journal& journal)
      : LateRule(journal, "partial-read", Problem::Severity::Warning) {}

 private:
  static constexpr std::string_view kItem = "aten._local_scalar_dense";

  bool isSuspect(EventId id, const Event& event) const override {
    if (event.kind != EventKind::Operator) return false;
    const auto op = journal_.name(event);
    return (op == "to_local" || op == kItem) && partialOf(id) != 0;
  }

  void judge(EventId id, Found& found) const override {
    if (isReduced(id)) return;
    const TensorId partial = partialOf(id);
    const std::string name = view::tensorName(journal_, partial);
    const bool isNumber = journal_.name(journal_.at(id)) == kItem;
    auto& problem = found.add((isNumber ? "item " : "local ") + name, id).problem;
    problem.sentence =
        fmt::format("{} of {}, which is {}: each rank continues with a separate partial value",
                    isNumber ? "item()" : "to_local()", name,
                    view::PlacementWords(journal_, notation_).of(journal_.tensor(partial)));
    problem.advice =
        "redistribute it to R before, or use full_tensor(); if partial values are intended, "
        "from_local() as P makes a tensor of them";
  }

  bool isReduced(EventId call) const {
    const EventId last = std::min(journal_.size(), call + kAfter);
    for (EventId id = call + 1; id <= last; ++id) {
      const Event event = journal_.at(id);
      if (event.kind == EventKind::Redistribute && event.parent == call) return true;
    }
    return false;
  }

  // Returns the first partial input, or 0.
  TensorId partialOf(EventId call) const {
    for (const TensorId input : journal_.inputs(call)) {
      if (input == 0 || input > journal_.tensors()) continue;
      const Placements& placements = journal_.spec(journal_.specOf(input)).placements;
      if (std::any_of(placements.begin(), placements.end(), isPartial)) return input;
    }
    return 0;
  }
};

}  // namespace

void addPartialRules(const Journal& journal, ProblemRules& rules) {
  rules.push_back(std::make_unique<PartialRead>(journal));
}

}  // namespace shardlens
