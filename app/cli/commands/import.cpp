#include "app/cli/commands.h"
#include "core/imports/import_dumps.h"
#include "core/view/words/units.h"

#include <CLI/CLI.hpp>
#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <csignal>
#include <iostream>
#include <memory>
#include <unistd.h>

namespace shardlens::cli {
namespace {

constexpr auto kOnImporting =
    "The format of FILE is detected from its contents:\n"
    "  a trace of Kineto or Chrome       torch.profiler's export_chrome_trace, also gzipped\n"
    "  a Flight Recorder dump            of c10d, JSON or pickle; pickles are never executed\n"
    "  DebugMode                         debug_string() as text, or save_logs()\n"
    "  CommDebugMode                     generate_json_dump()\n"
    "  an NCCL log                       NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT,COLL\n"
    "  a solution of AutoParallel        save_solution() or its graph as JSON\n"
    "\n"
    "Give the files of all ranks, or their folder: each becomes DIR/rank-N.shardlens, and DIR "
    "opens as\n"
    "one recording, aligned by process group and sequence number. What a dump lacks is unknown.\n"
    "  shardlens import traces --into DIR && shardlens problems DIR\n"
    "\n"
    "Exit codes: 0 done, 1 interrupted, 2 the command line or a file is wrong; then DIR has\n"
    "no recording.";

struct ImportOptions {
  std::vector<std::filesystem::path> files;
  std::filesystem::path into;
  Output output = Output::Words;
};

struct Interrupted {};

volatile std::sig_atomic_t interrupted = 0;

// Prints the progress on a terminal. Throws Interrupted after SIGINT.
void printProgress(double done) {
  static int printed = -1;
  if (interrupted != 0) throw Interrupted();
  const int percent = static_cast<int>(done * 100);
  if (percent == printed || isatty(STDERR_FILENO) == 0) return;
  printed = percent;
  std::cerr << fmt::format("\rimporting {} %{}", percent, percent == 100 ? "\r\x1b[K" : "")
            << std::flush;
}

nlohmann::ordered_json reportJson(const ImportReport& report) {
  nlohmann::ordered_json json = {{"recordings", nlohmann::ordered_json::array()},
                                 {"notes", report.notes}};
  for (const auto& dump : report.dumps) {
    json["recordings"].push_back({{"from", dump.from.string()},
                                  {"into", dump.into.string()},
                                  {"format", dump.format},
                                  {"rank", dump.rank},
                                  {"events", dump.events}});
  }
  return json;
}

void printReport(const ImportReport& report) {
  for (const auto& dump : report.dumps) {
    std::cout << fmt::format("{}: {}, {}, into {}\n", dump.from.string(), dump.format,
                             view::plural(static_cast<std::int64_t>(dump.events), "event"),
                             dump.into.string());
  }
  for (const auto& note : report.notes) std::cout << "note: " + note + "\n";
}

int importFiles(const ImportOptions& options) {
  std::signal(SIGINT, [](int) { interrupted = 1; });
  try {
    const auto report = importDumps(options.files, options.into, printProgress);
    if (!report) return unusable(report.error().message);
    if (options.output == Output::Json) {
      printJson(reportJson(*report));
    } else {
      printReport(*report);
    }
    return finishOutput(kAllRan);
  } catch (const Interrupted&) {
    (void)unusable("import: interrupted, no recordings written");
    return kRefused;
  }
}

}  // namespace

void addImport(CommandLine& line) {
  const auto options = std::make_shared<ImportOptions>();
  CLI::App& command = line.add("import", "Convert dumps of other tools to recordings",
                               [options] { return importFiles(*options); });
  command.add_option("FILE", options->files, "Dumps of one run, or folders of them")->required();
  command.add_option("--into", options->into, "The folder for the recordings; must contain none")
      ->type_name("DIR")
      ->required();
  addJson(command, options->output, "Print one JSON object");
  command.footer(kOnImporting);
}

}  // namespace shardlens::cli
