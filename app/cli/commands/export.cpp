#include "app/cli/commands.h"
#include "app/cli/recording_answer.h"
#include "app/cli/window.h"
#include "core/base/text.h"
#include "core/exports/csv.h"
#include "core/exports/export_formats.h"
#include "core/exports/step_events.h"

#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <utility>

namespace shardlens::cli {
namespace {

constexpr auto kParquet = "parquet";

struct ExportOptions {
  std::vector<std::filesystem::path> files;  // recordings or folders of one run
  std::vector<RankRange> steps;              // indexes; empty: all
  std::filesystem::path to;
  std::string format;
  ExportPart part;    // without the ranks
  std::string ranks;  // see addRanks()
  std::string panel;  // for a picture
  Output output = Output::Words;
};

std::string onExports() {
  std::string help =
      "  shardlens export run.shardlens --to run.html\n"
      "  shardlens export DIR --to trace.json --ranks \"pp=0 tp=*\"\n"
      "  shardlens export run.shardlens --step 3 --to issue.md\n"
      "  shardlens export run.shardlens --step 3 --to step3.py && torchrun --nproc-per-node 4 "
      "step3.py\n"
      "  shardlens export run.shardlens --table lookups --to lookups.csv\n"
      "  shardlens export DIR --to run.parquet\n"
      "  shardlens export run.shardlens --panel shards --step 3 --to shards.svg\n"
      "\n"
      "Formats, by file name extension:\n";
  for (const auto& format : exportFormats()) {
    help += fmt::format("  {:<13} {:<13} {}\n", format.name, format.ending, format.what);
  }
  help += fmt::format("  {:<13} {:<13} {}\n", kParquet, ".parquet",
                      "a folder with all tables, for DuckDB, Spark and pandas");
  help += "\nTables:\n";
  for (const auto& table : csvTables()) {
    help += fmt::format("  {:<13} {}{}\n", table.name, table.what,
                        table.isOfPosition ? ", after --step or at the end" : "");
  }
  return help +
         "\n"
         "Exit codes: 0 written, 1 written, with something left out, 2 the command line or a file\n"
         "is wrong, or the recording does not contain it.";
}

template <class Named>
std::vector<std::string> namesOf(const Named& all) {
  std::vector<std::string> names;
  for (const auto& one : all) names.emplace_back(one.name);
  return names;
}

Result<const ExportFormat*> formatOf(const ExportOptions& options) {
  const std::string ending = options.to.extension().string();
  const auto formats = exportFormats();
  const auto found = std::find_if(formats.begin(), formats.end(), [&](const ExportFormat& format) {
    return options.format.empty() ? format.ending == ending : format.name == options.format;
  });
  if (found == formats.end()) {
    return fail("--to: got the extension \"" + ending + "\", expected --as with one of " +
                joined(namesOf(formats)) + ", " + kParquet);
  }
  const std::string name(found->name);
  if (options.part.step && found->steps == ExportSteps::All)
    return fail("--step: a " + name + " is of the whole run: omit it");
  if (!options.part.step && found->steps == ExportSteps::One)
    return fail(name + " is of one step: add --step N");
  if (!options.part.table.empty() && name != "csv") return fail("--table: expected with csv only");
  if (!options.ranks.empty() && name != "trace") return fail("--ranks: expected with trace only");
  const bool isPicture = found->write == nullptr;
  if (!options.panel.empty() && !isPicture) return fail("--panel: expected with png and svg only");
  if (isPicture && found->ending != ending) {
    return fail("--to: got the extension \"" + ending + "\", expected " +
                std::string(found->ending));
  }
  return &*found;
}

int exportPicture(const ExportOptions& options) {
  if (!options.steps.empty()) return unusable("--steps: a picture is of the whole run: omit it");
  if (options.files.size() > 1) return unusable("a picture: expected one recording or folder");
  std::vector<std::string> arguments = {options.files.front().string(),
                                        "--screenshot=" + options.to.string()};
  if (!options.panel.empty()) arguments.push_back("--panel=" + options.panel);
  arguments.push_back("--notation=" + std::string(view::notationName(options.part.notation)));
  if (options.part.step) {
    const auto reader = openWhole(options.files);
    if (!reader) return unusable(reader.error().message);
    const auto events = stepEvents((*reader)->journal(), *options.part.step);
    if (!events) return unusable(events.error().message);
    arguments.push_back("--event=" + std::to_string(events->last));
  }
  return becomeWindow(std::move(arguments));
}

using ParquetExport = std::function<int(const ParquetOptions&)>;

bool isParquet(const ExportOptions& options) {
  return options.format.empty() ? options.to.extension() == ".parquet" : options.format == kParquet;
}

int exportTables(const ExportOptions& options, const ParquetExport& parquet) {
  if (!options.ranks.empty()) return unusable("--ranks: expected with trace only");
  if (options.part.step) return unusable("--step: parquet is of the whole run: omit it");
  if (!options.part.table.empty()) return unusable("--table: parquet has all tables: omit it");
  if (!options.panel.empty()) return unusable("--panel: expected with png and svg only");
  if (const auto may = expectOther(options.to, options.files); !may) {
    return unusable(may.error().message);
  }
  return parquet({options.files, options.steps, options.to, options.output});
}

int exportRecording(const ExportOptions& options) {
  const auto format = formatOf(options);
  if (!format) return unusable(format.error().message);
  if (const auto may = expectOther(options.to, options.files); !may) {
    return unusable(may.error().message);
  }
  if ((*format)->write == nullptr) return exportPicture(options);
  const auto reader = openWhole(options.files, options.steps);
  if (!reader) return unusable(reader.error().message);
  const Journal& journal = (*reader)->journal();
  ExportPart part = options.part;
  if (!options.ranks.empty()) {
    auto ranks = selectedRanks(options.ranks, journal);
    if (!ranks) return unusable(ranks.error().message);
    part.ranks = std::move(*ranks);
  }
  reportIds(journal, "the export");
  const auto leftOut = exportTo(options.to, **format, journal, part);
  if (!leftOut) return unusable(leftOut.error().message);
  reportWritten(options.to, options.output);
  return finishAnswer(**reader, reportLeftOut(*leftOut) ? kRefused : kAllRan);
}

}  // namespace

void addExport(CommandLine& line, ParquetExport parquet) {
  const auto options = std::make_shared<ExportOptions>();
  CLI::App& command = line.add("export", "Write a recording, or a part of it, in another format",
                               [options, parquet = std::move(parquet)] {
                                 return isParquet(*options) ? exportTables(*options, parquet)
                                                            : exportRecording(*options);
                               });
  addRecording(command, options->files);
  addNotation(command, options->part.notation);
  command.add_option("--to", options->to, "The file to write; for parquet, the folder")
      ->required()
      ->type_name("FILE");
  const auto add = [&](const char* name, std::string& into, const char* type,
                       const std::vector<std::string>& words, const char* help) {
    command.add_option(name, into, help)->type_name(type)->check(oneOf(words));
  };
  auto formats = namesOf(exportFormats());
  formats.emplace_back(kParquet);
  add("--as", options->format, "FORMAT", formats,
      "The format, if the extension of the file does not determine it");
  add("--table", options->part.table, "NAME", namesOf(csvTables()),
      "The table of a CSV file; events by default");
  add("--panel", options->panel, "NAME",
      {"shards", "program", "events", "buffers", "caches", "inspector", "tensors", "timeline",
       "mesh", "why", "notes", "problems"},
      "The panel of a picture; the window by default");
  addRanks(command, options->ranks, "The lanes of a trace");
  addSteps(command, options->steps, kStepsHelp);
  addStep(command, options->part.step, "A step of the program, from 1");
  addJson(command, options->output, "Print one JSON object; nothing for a picture");
  command.footer(onExports());
}

}  // namespace shardlens::cli
