#include "app/cli/commands.h"
#include "app/cli/output.h"
#include "app/cli/plan_request.h"
#include "app/cli/plan_words.h"

#include <nlohmann/json.hpp>

#include <iostream>

namespace shardlens::cli {

int plan(const PlanOptions& options) {
  const auto request = readPlanRequest(options);
  if (!request) return unusable(request.error().message);
  const auto& [current, target, planner, costs] = *request;
  const Ink ink = Ink::forTerminal();
  const bool json = options.output == Output::Json;
  // What is pending after a lookup that is large enough has rows of one owner each.
  const auto terms = isWorthMovingRows(current) ? TermKind::OwnedRows : TermKind::Any;
  const auto why = explain(planner, costs, current, target, terms);
  if (!why) {
    if (json) {
      printJson({{"shardlens", 1}, {"ok", false}, {"error", {{"message", why.error().message}}}});
    } else {
      std::cout << ink.alarm("refused: " + why.error().message) << '\n';
    }
    return finishOutput(kRefused);
  }
  const auto shown = options.all ? Alternatives::All : Alternatives::Greedy;
  if (json) {
    printJson(planJson(current, target, *why, shown));
  } else {
    std::cout << planText(current, *why, shown, ink);
  }
  return finishOutput(kAllRan);
}

}  // namespace shardlens::cli
