#include "app/cli/commands.h"

#include <CLI/CLI.hpp>

#include <memory>

namespace shardlens::cli {
namespace {

constexpr auto kOnPlacements =
    "Runs the program without data, as run --dry does, once per placement of the tensor: R, S(0) "
    "...\n"
    "and P(sum) on each mesh dimension. If a tensor or redistribute step makes it, the placements "
    "of\n"
    "that step are changed; else it is redistributed after the step.\n"
    "  shardlens what-if program.json w\n"
    "\n"
    "The cheapest is first: by the estimated time of the collectives of all steps, then by the "
    "bytes\n"
    "that the first rank sends, then by those that it holds of the tensor. Computation counts as\n"
    "free. Refused placements are last, with the reason.\n"
    "\n"
    "Exit codes: 0 done, 1 the program is refused for every placement of the tensor, 2 the command "
    "line or\n"
    "the file is wrong, or no step makes the tensor.";

}  // namespace

void addWhatIf(CommandLine& line, std::function<int(const WhatIfOptions&)> whatIf) {
  const auto options = std::make_shared<WhatIfOptions>();
  CLI::App& command =
      line.add("what-if", "Rank the placements of a tensor by what the whole program would cost",
               [options, whatIf = std::move(whatIf)] { return whatIf(*options); });
  command.add_option("FILE", options->file, "A scenario; - for standard input")->required();
  command
      .add_option("TENSOR", options->tensor, "The result of one of its steps, for example w or m.0")
      ->required();
  addNotation(command, options->notation);
  addTopology(command, options->topology);
  command.add_flag("--progress", options->printsProgress,
                   "Print the progress to standard error, one line per placement: \"3 of 16\"");
  addJson(command, options->output, "Print one JSON object per placement");
  command.footer(kOnPlacements);
}

}  // namespace shardlens::cli
