#include "app/cli/commands.h"
#include "app/cli/plan_request.h"
#include "app/cli/plan_words.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <iostream>
#include <memory>

namespace shardlens::cli {
namespace {

constexpr auto kOnPlans =
    "Placements: R, S(dim), SS(dim,split), P(op), NormP(p), MaskP(op,[shape],dim), one per mesh\n"
    "dimension. A MaskP of at least 16 KiB per rank is planned as a lookup whose rows are moved. "
    "On\n"
    "GPUs, and if the ranks have different ids, partial values are added instead (see --all). The\n"
    "number of rows that a rank sends depends on the ids. Times are estimated, not measured. A\n"
    "topology file changes the figures; fields that it lacks keep their values:\n"
    "  {\"ranks_per_host\": 8, \"startup_us\": 6.6,\n"
    "   \"inside\": {\"gb_per_s\": 87.7, \"latency_us\": 0.6},\n"
    "   \"between\": {\"gb_per_s\": 19.3, \"latency_us\": 2.7}}\n"
    "\n"
    "Exit codes: 0 planned, 1 the redistribution is refused, 2 the command line or the file is\n"
    "wrong.";

int plan(const PlanOptions& options) {
  const auto request = readPlanRequest(options);
  if (!request) return unusable(request.error().message);
  const auto& [current, target, planner, costs] = *request;
  const Ink ink = Ink::forTerminal();
  const bool json = options.output == Output::Json;
  // In the pending result of a large lookup each row belongs to one rank, so rows can be moved
  // instead of summed.
  const auto partials = isWorthMovingRows(current) ? PartialKind::OwnedRows : PartialKind::Any;
  const auto why = explain(planner, costs, current, target, partials);
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

}  // namespace

void addPlan(CommandLine& line) {
  const auto options = std::make_shared<PlanOptions>();
  CLI::App& command =
      line.add("plan", "Show how a tensor is redistributed from placements to others, and why",
               [options] { return plan(*options); });
  const auto add = [&](const char* name, std::string& into, const char* type, const char* help) {
    return command.add_option(name, into, help)->type_name(type);
  };
  add("--mesh", options->mesh, "SIZES[:NAMES]", "The mesh, for example 2x4 or 2x4:dp,tp")
      ->required();
  add("--shape", options->shape, "SIZES", "The global shape, for example 16,32")->required();
  add("--dtype", options->dtype, "TYPE", "The dtype, for example float32 (default) or f32");
  add("--from", options->from, "PLACEMENTS", "The current placements, for example \"S(0),R\"")
      ->required();
  add("--to", options->to, "PLACEMENTS", "The target placements, for example \"R,S(1)\"")
      ->required();
  add("--planner", options->planner, "KIND", "min-cost (default), greedy or decompose");
  addTopology(command, options->topology);
  command.add_flag("--all", options->all, "Show all other plans that were considered");
  addJson(command, options->output, "Print one JSON object");
  command.footer(kOnPlans);
}

}  // namespace shardlens::cli
