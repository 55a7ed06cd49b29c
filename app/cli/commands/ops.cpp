#include "app/cli/commands.h"

#include <CLI/CLI.hpp>

#include <memory>

namespace shardlens::cli {

void addOps(CommandLine& line, std::function<int(const OpsOptions&)> ops) {
  const auto options = std::make_shared<OpsOptions>();
  CLI::App& command = line.add("ops", "List the operators that have a sharding rule",
                               [options, ops = std::move(ops)] { return ops(*options); });
  command.add_option("NAME", options->name,
                     "A part of the name, for example embedding; prints schemas and rules");
  addJson(command, options->output, "Print one JSON object");
  command.footer(
      "  shardlens ops embedding\n"
      "\n"
      "With a NAME, prints the schema of each operator and the rows of its rule: the placements "
      "over one\n"
      "mesh dimension that its tensors may have, for a call with the tensors named above them.\n"
      "\n"
      "Exit codes: 0 found, 1 no match, 2 the command line is wrong.");
}

}  // namespace shardlens::cli
