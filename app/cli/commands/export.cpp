#include "app/cli/commands.h"
#include "app/cli/recording_answer.h"
#include "app/cli/window.h"
#include "core/base/text.h"
#include "core/exports/chrome_trace.h"
#include "core/exports/csv.h"
#include "core/exports/html_page.h"
#include "core/exports/reproduction.h"
#include "core/exports/safetensors.h"
#include "core/exports/step_events.h"
#include "core/exports/step_markdown.h"

#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <memory>
#include <optional>

namespace shardlens::cli {
namespace {

struct ExportOptions {
  std::vector<std::filesystem::path> files;  // or folders; of one run
  std::filesystem::path to;
  std::string format;
  std::optional<int> step;  // of the program
  std::string table;        // of CSV
  std::string panel;        // of a picture
  Output output = Output::Words;
};

// What was left out of what was written.
using Written = Result<std::vector<std::string>>;

Written whole(const Result<void>& written) {
  return written.map([] { return std::vector<std::string>(); });
}

Written text(const Result<std::string>& written, std::ostream& out) {
  return written.map([&](const std::string& all) {
    out << all;
    return std::vector<std::string>();
  });
}

Written writeTable(const Journal& journal, const ExportOptions& options, std::ostream& out) {
  const std::string table = options.table.empty() ? "events" : options.table;
  const auto known = csvTables();
  const bool hasAll = std::any_of(known.begin(), known.end(), [&](const CsvTable& one) {
    return one.name == table && !one.isOfPosition;
  });
  if (!options.step) return whole(writeCsv(journal, table, journal.size(), out));
  if (hasAll) return fail("--step: the table " + table + " is of the whole run: leave it out");
  return stepEvents(journal, *options.step).and_then([&](const StepEvents& events) {
    return whole(writeCsv(journal, table, events.last, out));
  });
}

enum class Steps { All, One, AllOrOne };

struct ExportFormat {
  const char* name;
  const char* ending;
  const char* what;
  Steps steps;
  // Null of a picture, which the window draws.
  Written (*write)(const Journal& journal, const ExportOptions& options, std::ostream& out);
};

constexpr std::array kFormats = {
    ExportFormat{"trace", ".json", "for Perfetto and chrome://tracing, a lane a rank", Steps::All,
                 [](const Journal& journal, const ExportOptions&, std::ostream& out) {
                   return whole(writeChromeTrace(journal, out));
                 }},
    ExportFormat{"csv", ".csv", "a table, see below", Steps::AllOrOne, writeTable},
    ExportFormat{"markdown", ".md", "a step, to paste into an issue", Steps::One,
                 [](const Journal& journal, const ExportOptions& options, std::ostream& out) {
                   return text(stepMarkdown(journal, *options.step), out);
                 }},
    ExportFormat{"safetensors", ".safetensors", "what the ranks held after a step, \"rank0/y\"",
                 Steps::One,
                 [](const Journal& journal, const ExportOptions& options, std::ostream& out) {
                   return writeSafetensors(journal, *options.step, out);
                 }},
    ExportFormat{"pytorch", ".py", "a script that reproduces a step on DTensor, for torchrun",
                 Steps::One,
                 [](const Journal& journal, const ExportOptions& options, std::ostream& out) {
                   return text(pytorchScript(journal, *options.step), out);
                 }},
    ExportFormat{"html", ".html", "a page that steps through it, or through one step, in a browser",
                 Steps::AllOrOne,
                 [](const Journal& journal, const ExportOptions& options, std::ostream& out) {
                   return whole(writeHtmlPage(journal, options.step, out));
                 }},
    ExportFormat{"png", ".png", "the window, or a panel of it, after a step", Steps::AllOrOne,
                 nullptr},
    ExportFormat{"svg", ".svg", "the same, drawn in lines", Steps::AllOrOne, nullptr},
};

std::string onExports() {
  std::string help =
      "  shardlens export run.shardlens --to run.html\n"
      "  shardlens export DIR --to trace.json\n"
      "  shardlens export run.shardlens --step 3 --to issue.md\n"
      "  shardlens export run.shardlens --step 3 --to step3.py && torchrun --nproc-per-node 4 "
      "step3.py\n"
      "  shardlens export run.shardlens --table lookups --to lookups.csv\n"
      "  shardlens export run.shardlens --panel shards --step 3 --to shards.svg\n"
      "\n"
      "Formats, and the endings that mean them:\n";
  for (const auto& format : kFormats) {
    help += fmt::format("  {:<13} {:<13} {}\n", format.name, format.ending, format.what);
  }
  help += "\nTables:\n";
  for (const auto& table : csvTables()) {
    help += fmt::format("  {:<13} {}{}\n", table.name, table.what,
                        table.isOfPosition ? ", after --step or at the end" : "");
  }
  return help +
         "\n"
         "Exit codes: 0 it is written, 1 it is and something was left out of it, 2 the command "
         "line\n"
         "or a file is wrong, or the recording does not have it.";
}

template <class Named>
std::vector<std::string> namesOf(const Named& all) {
  std::vector<std::string> names;
  for (const auto& one : all) names.emplace_back(one.name);
  return names;
}

Result<const ExportFormat*> formatOf(const ExportOptions& options) {
  const std::string ending = options.to.extension().string();
  const auto* found =
      std::find_if(kFormats.begin(), kFormats.end(), [&](const ExportFormat& format) {
        return options.format.empty() ? format.ending == ending : format.name == options.format;
      });
  if (found == kFormats.end()) {
    return fail("--to: got the ending \"" + ending + "\", expected --as with one of " +
                joined(namesOf(kFormats)));
  }
  const std::string name = found->name;
  if (options.step && found->steps == Steps::All)
    return fail("--step: a " + name + " is of the whole run: leave it out");
  if (!options.step && found->steps == Steps::One)
    return fail(name + " is of one step: add --step N");
  if (!options.table.empty() && name != "csv") return fail("--table: expected for csv alone");
  const bool isPicture = found->write == nullptr;
  if (!options.panel.empty() && !isPicture) return fail("--panel: expected for png and svg alone");
  if (isPicture && found->ending != ending) {
    return fail("--to: got the ending \"" + ending + "\", expected " + found->ending);
  }
  return found;
}

// What was there before stays until all is written; what is no file, a terminal or a pipe, is
// written as it is.
Written writeFile(const ExportFormat& format, const Journal& journal,
                  const ExportOptions& options) {
  std::error_code failed;
  const bool isFile = !std::filesystem::exists(options.to, failed) ||
                      std::filesystem::is_regular_file(options.to, failed);
  const auto path = isFile ? std::filesystem::path(options.to.string() + ".part") : options.to;
  if (isFile && std::filesystem::exists(path, failed)) {
    return fail("--to: " + path.string() + " is in the way: remove it");
  }
  std::ofstream out(path, std::ios::binary);
  auto written = format.write(journal, options, out);
  out.close();
  if (written && !out) written = fail(options.to.string() + ": could not be written");
  if (!isFile) return written;
  if (written) std::filesystem::rename(path, options.to, failed);
  if (written && failed) written = fail(options.to.string() + ": " + failed.message());
  if (!written) std::filesystem::remove(path, failed);
  return written;
}

int exportPicture(const ExportOptions& options) {
  if (options.files.size() > 1) return unusable("a picture: expected one recording or folder");
  std::vector<std::string> arguments = {options.files.front().string(),
                                        "--screenshot=" + options.to.string()};
  if (!options.panel.empty()) arguments.push_back("--panel=" + options.panel);
  if (options.step) {
    const auto reader = openWhole(options.files);
    if (!reader) return unusable(reader.error().message);
    const auto events = stepEvents((*reader)->journal(), *options.step);
    if (!events) return unusable(events.error().message);
    arguments.push_back("--step=" + std::to_string(events->last));
  }
  return becomeWindow(std::move(arguments));
}

int exportRecording(const ExportOptions& options) {
  const auto format = formatOf(options);
  if (!format) return unusable(format.error().message);
  if (const auto may = expectOther(options.to, options.files); !may) {
    return unusable(may.error().message);
  }
  if ((*format)->write == nullptr) return exportPicture(options);
  const auto reader = openWhole(options.files);
  if (!reader) return unusable(reader.error().message);
  const auto leftOut = writeFile(**format, (*reader)->journal(), options);
  if (!leftOut) return unusable(leftOut.error().message);
  sayWritten(options.to, options.output);
  return finishAnswer(**reader, sayLeftOut(*leftOut) ? kRefused : kAllRan);
}

}  // namespace

void addExport(CommandLine& line) {
  const auto options = std::make_shared<ExportOptions>();
  CLI::App& command = line.add("export", "Write a recording, or a part of it, in another format",
                               [options] { return exportRecording(*options); });
  addRecording(command, options->files);
  command.add_option("--to", options->to, "The file to write")->required()->type_name("FILE");
  const auto add = [&](const char* name, std::string& into, const char* type,
                       const std::vector<std::string>& words, const char* help) {
    command.add_option(name, into, help)->type_name(type)->check(oneOf(words));
  };
  add("--as", options->format, "FORMAT", namesOf(kFormats),
      "The format, where the ending of the file does not say");
  add("--table", options->table, "NAME", namesOf(csvTables()),
      "Of CSV which table; events where it is left out");
  add("--panel", options->panel, "NAME",
      {"shards", "program", "steps", "buffers", "caches", "mesh", "why", "notes"},
      "Of a picture one panel alone");
  command.add_option("--step", options->step, "A step of the program, from 0")->type_name("N");
  addJson(command, options->output, "Print one JSON object; of a picture nothing");
  command.footer(onExports());
}

}  // namespace shardlens::cli
