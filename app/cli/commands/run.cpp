#include "app/cli/commands.h"

#include <CLI/CLI.hpp>

#include <memory>

namespace shardlens::cli {
namespace {

constexpr auto kOnRuns =
    "  shardlens run --record out.shardlens program.json\n"
    "  make_scenarios.py | shardlens run --json -\n"
    "\n"
    "To find the first step whose result is not that of plain tensors:\n"
    "  shardlens run --check FILE\n"
    "Inputs are whole there, and redistributions leave tensors as they are. Whole numbers have to "
    "be\n"
    "equal, others as close as torch.testing.assert_close has it.\n"
    "\n"
    "On processes every one of a launch runs the same command, and they share the ranks evenly:\n"
    "  torchrun --no-python --nproc-per-node 4 shardlens run FILE\n"
    "The one that has rank 0 prints; each writes PATH/rank-N.shardlens, N being its lowest rank.\n"
    "When one dies, is stopped or does something else, the others name it and end.\n"
    "With --backend nccl one process drives all GPUs of the machine; launched so, each takes the "
    "one\n"
    "of its LOCAL_RANK. More ranks than GPUs share them.\n"
    "\n"
    "Exit codes: 0 all ran, 1 a step was refused, a result differs from the plain one or a "
    "process\n"
    "was lost, 2 the command line or a file is wrong.";

}  // namespace

void addRun(CommandLine& line, std::function<int(const RunOptions&)> run) {
  const auto options = std::make_shared<RunOptions>();
  CLI::App& command = line.add("run", "Run scenarios and tell what happened and why",
                               [options, run = std::move(run)] { return run(*options); });
  command
      .add_option("FILE", options->files,
                  "Scenarios: .json, or .jsonl with one a line; - for either from standard input")
      ->required();
  addJson(command, options->output, "Print the answers, one JSON object a line");
  command
      .add_option("--record", options->record,
                  "Write a recording of the (one) scenario; on processes, a folder of them")
      ->type_name("PATH");
  addValues(command, options->values, "What is recorded of the ranks' shards")->needs("--record");
  auto* backend =
      command
          .add_option("--backend", options->backend,
                      "What carries the collectives: simulated, gloo, or nccl on GPUs; where it "
                      "is left out, processes that torchrun started take nccl or else gloo")
          ->type_name("NAME")
          ->check(oneOf({"simulated", "gloo", "nccl"}));
  auto* check = command.add_flag(
      "--check", options->check,
      "Run the same program on plain tensors too, on simulated ranks, and say of each result "
      "how far it is from the plain one, and where");
  command
      .add_flag("--dry", options->dry,
                "Without data: where everything would lie, what would be sent and how long that "
                "is estimated to take, as the first rank sees it and processors would run it; rows "
                "that a lookup moves count as if each rank owned equally many")
      ->excludes(backend)
      ->excludes(check);
  addTopology(command, options->topology);
  addNotation(command);
  command.add_flag_callback(
      "--verify-caches", [options] { options->caches = Caches::Verified; },
      "Work out anew whatever the caches remember, and refuse a step where they are wrong");
  command
      .add_option_function<std::string>(
          "--unknown",
          [options](const std::string& given) {
            if (given == "replicate") options->unknown = UnknownOperators::Replicated;
          },
          "What becomes of an operator without a sharding rule: refuse (default), or replicate, "
          "which has every rank run it on whole inputs, and makes it a problem; never one that "
          "draws random numbers, writes into its arguments, shares memory with them or whose "
          "result is as large as values say")
      ->type_name("WHAT")
      ->check(oneOf({"refuse", "replicate"}));
  command.footer(kOnRuns);
}

}  // namespace shardlens::cli
