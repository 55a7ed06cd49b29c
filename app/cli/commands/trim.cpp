// The commands that copy recordings: trim writes a part of one, merge joins a run's processes.
#include "app/cli/commands.h"
#include "app/cli/recording_answer.h"
#include "app/cli/recording_file.h"
#include "core/model/step_number.h"
#include "core/trace/journal/journal_copy.h"

#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include <memory>

namespace shardlens::cli {
namespace {

constexpr auto kOnTrimming =
    "  shardlens trim --steps 3-5 --values stats big.shardlens --to small.shardlens\n"
    "Keeps the events of earlier steps to which these refer: the newest result of each tensor, "
    "the\n"
    "holders of a mask, the creation of a cache entry.\n"
    "\n"
    "Exit codes: 0 written, 1 a file of the folder was left out, 2 the command line or a file is\n"
    "wrong.";

constexpr auto kOnMerging =
    "  shardlens merge DIR --to run.shardlens\n"
    "An event of several processes has the start of the first one and the duration of the "
    "slowest;\n"
    "the times of the others are not kept.\n"
    "\n"
    "Exit codes: 0 written, 1 a file of the folder was left out, 2 the command line or a file is\n"
    "wrong.";

struct TrimOptions {
  std::vector<std::filesystem::path> files;  // recordings or folders of one run
  std::filesystem::path to;
  std::string steps;  // numbers of steps; empty: all
  CopiedPart part;    // without the steps
  Output output = Output::Words;
};

bool hasStep(const Journal& journal, const std::vector<RankRange>& indexes) {
  for (EventId id = 1; id <= journal.size(); ++id) {
    if (contains(indexes, journal.at(id).step)) return true;
  }
  return indexes.empty();
}

int lastStep(const Journal& journal) {
  int last = -1;
  for (EventId id = 1; id <= journal.size(); ++id) last = std::max(last, journal.at(id).step);
  return last;
}

int trim(const TrimOptions& options) {
  if (const auto may = expectOther(options.to, options.files); !may) {
    return unusable(may.error().message);
  }
  const auto reader = openWhole(options.files);
  if (!reader) return unusable(reader.error().message);
  const Journal& journal = (*reader)->journal();
  CopiedPart part = options.part;
  part.steps = stepIndexes(options.steps);
  if (!hasStep(journal, part.steps)) {
    return unusable(fmt::format("--steps: got {}, expected steps of 1 to {}", options.steps,
                                stepNumber(lastStep(journal))));
  }
  auto file = RecordingFile::create(options.to, "--to");
  if (!file) return unusable(file.error().message);
  copyJournal(journal, part, file->sink());
  const auto kept = file->keep(RecordingFile::Part::Goes);  // the source still exists
  if (!kept) return unusable(kept.error().message);
  reportWritten(options.to, options.output);
  return finishAnswer(**reader, kAllRan);
}

CLI::App& addCopy(CommandLine& line, const char* name, const char* about,
                  const std::shared_ptr<TrimOptions>& options) {
  CLI::App& command = line.add(name, about, [options] { return trim(*options); });
  addRecording(command, options->files);
  command.add_option("--to", options->to, "The recording to write")->type_name("FILE")->required();
  addJson(command, options->output, "Print one JSON object");
  return command;
}

}  // namespace

void addTrim(CommandLine& line) {
  const auto options = std::make_shared<TrimOptions>();
  CLI::App& command = addCopy(line, "trim", "Write a part of a recording to a new file", options);
  command
      .add_option("--steps", options->steps,
                  "Only these steps, for example 3-5,8, and what they refer to")
      ->type_name("N")
      ->check(CLI::Validator(refusedSteps, "", "steps"));
  addValues(command, options->part.values, "The values of the ranks' shards to keep");
  command.footer(kOnTrimming);
}

void addMerge(CommandLine& line) {
  addCopy(line, "merge", "Merge the recordings of a run's processes into one file",
          std::make_shared<TrimOptions>())
      .footer(kOnMerging);
}

}  // namespace shardlens::cli
