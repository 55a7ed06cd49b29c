#include "app/cli/commands.h"

#include <CLI/CLI.hpp>

#include <memory>

namespace shardlens::cli {
namespace {

constexpr auto kOnRuns =
    "  shardlens run --record out.shardlens program.json\n"
    "  make_scenarios.py | shardlens run --json -\n"
    "\n"
    "To find the first step whose result differs from plain tensors:\n"
    "  shardlens run --check FILE\n"
    "There, inputs are global tensors, and redistributions change nothing. Integers must be "
    "equal,\n"
    "other numbers within what rounding explains, which is measured and shown.\n"
    "\n"
    "For several processes, a launcher starts the same command in each. They share the ranks "
    "evenly:\n"
    "  torchrun --no-python --nproc-per-node 4 shardlens run FILE\n"
    "The process with rank 0 prints. Each writes PATH/rank-N.shardlens, where N is its lowest "
    "rank.\n"
    "If one dies, is stopped or does something else, the others report it and end.\n"
    "With --backend nccl, one process uses all GPUs of the machine; launched processes use the GPU "
    "of\n"
    "their LOCAL_RANK each. If there are more ranks than GPUs, they share them.\n"
    "\n"
    "Exit codes: 0 all ran, 1 a step was refused, a result differs from plain torch or a process\n"
    "was lost, 2 the command line or a file is wrong.";

}  // namespace

void addRun(CommandLine& line, std::function<int(const RunOptions&)> run) {
  const auto options = std::make_shared<RunOptions>();
  CLI::App& command = line.add("run", "Run scenarios and show what happened and why",
                               [options, run = std::move(run)] { return run(*options); });
  command
      .add_option("FILE", options->files,
                  "Scenarios: .json, or .jsonl with one per line; - for standard input")
      ->required();
  addJson(command, options->output, "Print the answers, one JSON object per line");
  command
      .add_option(
          "--record", options->record,
          "Write a recording of the scenario (exactly one); for several processes, a folder")
      ->type_name("PATH");
  addValues(command, options->values, "The values of the ranks' shards to record")
      ->needs("--record");
  auto* backend =
      command
          .add_option("--backend", options->backend,
                      "The backend of the collectives: simulated, gloo, or nccl on GPUs. Default: "
                      "simulated; under torchrun nccl, or gloo without GPUs")
          ->type_name("NAME")
          ->check(oneOf({"simulated", "gloo", "nccl"}));
  auto* check = command.add_flag("--check", options->check,
                                 "Also run the program on plain tensors, and show for each result "
                                 "how far it differs and where; simulated ranks only");
  command
      .add_flag(
          "--dry", options->dry,
          "Run without data: shows placements, and the traffic and time that are estimated for the "
          "first rank on CPUs. Rows that a lookup moves count as if each rank owned equally many")
      ->excludes(backend)
      ->excludes(check);
  addTopology(command, options->topology);
  addNotation(command, options->notation);
  command.add_flag_callback(
      "--verify-caches", [options] { options->caches = Caches::Verified; },
      "Recompute every cached answer, and refuse a step if the cache is wrong");
  command
      .add_option_function<std::string>(
          "--unknown",
          [options](const std::string& given) {
            if (given == "replicate") options->unknown = UnknownOperators::Replicated;
          },
          "Handling of operators without a sharding rule: refuse (default), or replicate: every "
          "rank runs them on replicated inputs, which is reported as a problem. Operators that "
          "draw random numbers, write to their arguments, share memory with them, or whose output "
          "size depends on values are always refused")
      ->type_name("WHAT")
      ->check(oneOf({"refuse", "replicate"}));
  command.footer(kOnRuns);
}

}  // namespace shardlens::cli
