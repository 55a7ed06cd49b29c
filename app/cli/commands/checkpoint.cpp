#include "app/cli/commands.h"
#include "app/cli/table_text.h"
#include "core/base/text.h"
#include "core/checkpoints/checkpoint_check.h"
#include "core/checkpoints/checkpoint_differences.h"
#include "core/checkpoints/checkpoint_json.h"
#include "core/checkpoints/tp_plan.h"
#include "core/view/words/units.h"

#include <CLI/CLI.hpp>
#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <iostream>
#include <memory>

namespace shardlens::cli {
namespace {

constexpr auto kOnCheckpoints =
    "PATH is one of:\n"
    "  a folder with .metadata           torch.distributed.checkpoint, or Megatron's torch_dist\n"
    "  a folder of *.safetensors         with or without model.safetensors.index.json\n"
    "  a file *.safetensors\n"
    "\n"
    "Nothing in a file is executed: pickles are read as data. The problems are slices that are\n"
    "missing, stored twice, or not what the metadata describes, and slices of different ranks "
    "with\n"
    "the same elements.\n"
    "  shardlens checkpoint step-1000 --name layers.0\n"
    "  shardlens checkpoint tp2 --against tp4\n"
    "  shardlens checkpoint model --tp-plan config.json --ranks 4\n"
    "\n"
    "A plan is a JSON object from patterns to styles, as a tp_plan of Hugging Face transformers, "
    "or\n"
    "a config.json that has one.\n"
    "\n"
    "Exit codes: 0 equal and without errors (warnings do not count), 1 errors, or different,\n"
    "2 the command line or a file is wrong.";

struct CheckpointOptions {
  std::filesystem::path path;
  std::optional<std::filesystem::path> against;
  std::string name;  // part of the names of tensors to list
  std::optional<std::filesystem::path> plan;
  int ranks = 0;
  Output output = Output::Words;
};

// What the command prints.
struct CheckpointAnswer {
  Checkpoint checkpoint;
  std::optional<Checkpoint> against = {};
  std::optional<CheckpointComparison> comparison = {};
  std::optional<std::vector<HeldSlices>> plan = {};
};

bool isNamed(const CheckpointTensor& tensor, const CheckpointOptions& options) {
  return tensor.name.find(options.name) != std::string::npos;
}

view::Row rowOf(const CheckpointTensor& tensor, const std::string& rank, const std::string& range,
                const std::string& files) {
  return {.cells = {{tensor.name},
                    {std::string(tensor.type->name)},
                    {extentsText(tensor.shape)},
                    {rank},
                    {range},
                    {files}}};
}

view::Table tableOf(const CheckpointAnswer& answer) {
  std::vector<view::Row> rows;
  if (answer.plan) {
    for (const HeldSlices& held : *answer.plan) {
      std::vector<std::string> ranges;
      for (const Box& box : held.boxes) ranges.push_back(boxText(box));
      rows.push_back(rowOf(*held.tensor, held.isReplicated ? "every" : std::to_string(held.rank),
                           ranges.empty() ? "nothing" : joined(ranges), joined(held.files)));
    }
  } else {
    for (const CheckpointTensor& tensor : answer.checkpoint.tensors) {
      for (const Slice& slice : tensor.slices) {
        const CheckpointFile& file = answer.checkpoint.files[slice.file];
        rows.push_back(rowOf(tensor, file.rank ? std::to_string(*file.rank) : "",
                             boxText(slice.box), file.name));
      }
    }
  }
  return {.columns = {{"tensor"}, {"dtype"}, {"shape"}, {"rank"}, {"slice"}, {"file"}},
          .rows = std::move(rows)};
}

void printAsJson(const CheckpointAnswer& answer) {
  auto json = checkpointJson(answer.checkpoint);
  if (answer.plan) json["plan"] = planJson(*answer.plan);
  if (answer.comparison) json["against"] = comparisonJson(*answer.against, *answer.comparison);
  printJson(json);
}

std::string totalsText(const Checkpoint& checkpoint) {
  const auto count = [](const auto& list, std::string_view one) {
    return view::plural(static_cast<std::int64_t>(list.size()), one);
  };
  return fmt::format("{}: {}, {}, {}, {}\n", checkpoint.path.string(), checkpoint.format,
                     count(checkpoint.files, "file"), count(checkpoint.tensors, "tensor"),
                     count(checkpoint.objects, "other object"));
}

void printFaults(const Checkpoint& checkpoint, const Ink& ink, const std::string& prefix) {
  for (const auto& problem : checkpoint.problems) {
    std::cout << (problem.isWarning ? ink.notice("warning") : ink.alarm("error")) << ": " << prefix
              << problem.sentence << ink.dim(" [" + problem.kind + "]") << '\n';
  }
}

void printAsWords(const CheckpointAnswer& answer) {
  const Ink ink = Ink::forTerminal();
  std::cout << totalsText(answer.checkpoint);
  if (!answer.comparison) {
    std::cout << tableText(tableOf(answer), ink);
    printFaults(answer.checkpoint, ink, "");
    if (answer.checkpoint.problems.empty()) std::cout << "no problems\n";
    return;
  }
  std::cout << totalsText(*answer.against);
  printFaults(answer.checkpoint, ink, answer.checkpoint.path.string() + ": ");
  printFaults(*answer.against, ink, answer.against->path.string() + ": ");
  for (const auto& difference : answer.comparison->differences) {
    std::cout << ink.alarm("difference") << ": " << difference.sentence
              << ink.dim(" [" + difference.kind + "]") << '\n';
  }
  std::cout << fmt::format("{} in both, {} compared: {}\n",
                           view::plural(answer.comparison->tensors, "tensor"),
                           view::plural(answer.comparison->elements, "element"),
                           answer.comparison->differences.empty() ? "equal" : "different");
}

// Keeps the tensors that --name selects, and their problems.
void select(Checkpoint& checkpoint, const CheckpointOptions& options) {
  std::erase_if(checkpoint.tensors, [&](const auto& tensor) { return !isNamed(tensor, options); });
  std::erase_if(checkpoint.problems, [&](const auto& problem) {
    return !problem.tensor.empty() && problem.tensor.find(options.name) == std::string::npos;
  });
}

Result<Checkpoint> openSelected(const std::filesystem::path& path,
                                const CheckpointOptions& options) {
  auto checkpoint = openCheckpoint(path);
  if (!checkpoint) return checkpoint;
  select(*checkpoint, options);
  if (checkpoint->tensors.empty() && checkpoint->problems.empty() && !options.name.empty()) {
    return fail(fmt::format("{}: got no tensor with '{}' in its name, expected one", path.string(),
                            options.name));
  }
  checkCheckpoint(*checkpoint);
  return checkpoint;
}

int showCheckpoint(const CheckpointOptions& options) {
  if (options.plan.has_value() != (options.ranks > 0)) {
    return unusable("checkpoint: got one of --tp-plan and --ranks, expected both or none");
  }
  auto checkpoint = openSelected(options.path, options);
  if (!checkpoint) return unusable(checkpoint.error().message);
  CheckpointAnswer answer{.checkpoint = std::move(*checkpoint)};
  if (options.plan) {
    const auto rules = readTpPlan(*options.plan);
    if (!rules) return unusable(rules.error().message);
    auto& problems = answer.checkpoint.problems;
    answer.plan = applyTpPlan(answer.checkpoint, *rules, options.ranks, problems);
    if (!options.name.empty()) {  // the rules of other tensors match none of the selected ones
      std::erase_if(problems, [](const auto& problem) { return problem.kind == "unused-rule"; });
    }
  }
  bool isFine = !answer.checkpoint.hasErrors();
  if (options.against) {
    auto other = openSelected(*options.against, options);
    if (!other) return unusable(other.error().message);
    answer.against = std::move(*other);
    answer.comparison = compareCheckpoints(answer.checkpoint, *answer.against);
    isFine &= !answer.against->hasErrors() && answer.comparison->differences.empty();
  }
  if (options.output == Output::Json) {
    printAsJson(answer);
  } else {
    printAsWords(answer);
  }
  return finishOutput(isFine ? kAllRan : kRefused);
}

}  // namespace

void addCheckpoint(CommandLine& line) {
  const auto options = std::make_shared<CheckpointOptions>();
  CLI::App& command =
      line.add("checkpoint", "Show and check the slices of a checkpoint, or compare two",
               [options] { return showCheckpoint(*options); });
  command.add_option("PATH", options->path, "A checkpoint; see below")->required();
  auto* const against = command
                            .add_option("--against", options->against,
                                        "Compare with this checkpoint, element by element")
                            ->type_name("PATH");
  command.add_option("--name", options->name, "Only tensors with this text in their names")
      ->type_name("TEXT");
  command.add_option("--tp-plan", options->plan, "Show the slices that this plan gives each rank")
      ->type_name("FILE")
      ->excludes(against);
  constexpr int kMostRanks = 65536;
  command.add_option("--ranks", options->ranks, "The number of ranks of the plan")
      ->type_name("N")
      ->check(CLI::Range(1, kMostRanks));
  addJson(command, options->output, "Print one JSON object");
  command.footer(kOnCheckpoints);
}

}  // namespace shardlens::cli
