#include "app/cli/commands.h"
#include "app/cli/problem_words.h"
#include "app/cli/recording_answer.h"

#include <CLI/CLI.hpp>

#include <memory>
#include <utility>

namespace shardlens::cli {
namespace {

struct ProblemsOptions {
  std::vector<std::filesystem::path> files;  // recordings or folders of one run
  std::vector<RankRange> steps;              // indexes; empty: all
  std::string ranks;                         // see addRanks()
  view::Notation notation = view::Notation::DTensor;
  Output output = Output::Words;
};

std::string onProblems() {
  std::string text =
      "  shardlens problems DIR --json | jq .sentence\n"
      "  shardlens problems DIR --ranks \"pp=2 dp=1,3\"\n"
      "  shardlens problems DIR --steps 100-110\n"
      "\n"
      "Rules, as named in JSON:\n";
  for (const auto& rule : problemRules()) text += "  " + rule + "\n";
  return text +
         "\n"
         "Exit codes: 0 no problems, 1 problems, or a file of the folder was left out, 2 the\n"
         "command line or a file is wrong.";
}

int problems(const ProblemsOptions& options) {
  const auto reader = openWhole(options.files, options.steps);
  if (!reader) return unusable(reader.error().message);
  auto found = findProblems(**reader, options.notation);
  if (!options.ranks.empty()) {
    const auto ranks = selectedRanks(options.ranks, (*reader)->journal());
    if (!ranks) return unusable(ranks.error().message);
    found = problemsOf(*ranks, (*reader)->journal(), std::move(found));
  }
  printProblems((*reader)->journal(), found, options.output);
  return finishAnswer(**reader, found.empty() ? kAllRan : kRefused);
}

}  // namespace

void addProblems(CommandLine& line) {
  const auto options = std::make_shared<ProblemsOptions>();
  CLI::App& command = line.add("problems", "List what is wrong in a recording or costs too much",
                               [options] { return problems(*options); });
  addRecording(command, options->files);
  addNotation(command, options->notation);
  addSteps(command, options->steps, kStepsHelp);
  addRanks(command, options->ranks,
           "Only problems of events in which one of these ranks took part");
  addJson(command, options->output, "Print one JSON object per problem");
  command.footer(onProblems());
}

}  // namespace shardlens::cli
