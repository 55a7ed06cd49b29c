#include "app/cli/commands.h"

#include <CLI/CLI.hpp>

#include <memory>

namespace shardlens::cli {
namespace {

constexpr auto kOnPlacements =
    "The program is gone through without data, as by run --dry, once for each way in which the\n"
    "tensor can lie: R, S(0) ... and P(sum) on each mesh dimension. Where a tensor or "
    "redistribute\n"
    "step makes it, that step has other placements; else it is redistributed behind the step.\n"
    "  shardlens what-if program.json w\n"
    "\n"
    "The cheapest comes first: the least estimated time of the collectives of all steps, then the\n"
    "fewest bytes that the first rank sends, then the fewest that it holds of the tensor. What\n"
    "ranks compute takes no time. What is refused comes last, with the reason.\n"
    "\n"
    "Exit codes: 0 done, 1 the program is refused however the tensor lies, 2 the command line or\n"
    "the file is wrong, or no step makes the tensor.";

}  // namespace

void addWhatIf(CommandLine& line, std::function<int(const WhatIfOptions&)> whatIf) {
  const auto options = std::make_shared<WhatIfOptions>();
  CLI::App& command =
      line.add("what-if", "Rank the placements of a tensor by what the whole program would cost",
               [options, whatIf = std::move(whatIf)] { return whatIf(*options); });
  command.add_option("FILE", options->file, "A scenario; - for standard input")->required();
  command.add_option("TENSOR", options->tensor, "The result of one of its steps, as w or m.0")
      ->required();
  addNotation(command);
  addTopology(command, options->topology);
  command.add_flag("--progress", options->printsProgress,
                   "Say on standard error how far it is, a line a placement, as \"3 of 16\"");
  addJson(command, options->output, "Print one JSON object a placement");
  command.footer(kOnPlacements);
}

}  // namespace shardlens::cli
