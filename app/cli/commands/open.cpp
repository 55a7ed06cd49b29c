#include "app/cli/commands.h"
#include "app/cli/window.h"

#include <CLI/CLI.hpp>

#include <memory>

namespace shardlens::cli {
namespace {

constexpr auto kOnOpening =
    "  shardlens open run.shardlens\n"
    "  shardlens open $(shardlens gallery 5)\n"
    "\n"
    "Exit codes: those of shardlens-gui, which replaces this process; 2 if it is not installed.";

int openWindow(const std::filesystem::path& path) {
  return path.empty() ? becomeWindow({}) : becomeWindow({path.string()});
}

}  // namespace

void addOpen(CommandLine& line) {
  const auto path = std::make_shared<std::filesystem::path>();
  CLI::App& command = line.add("open", "Open the window, with a scenario or a recording",
                               [path] { return openWindow(*path); });
  command.add_option("PATH", *path, "A scenario, a recording, or the folder of a run's processes");
  command.footer(kOnOpening);
}

}  // namespace shardlens::cli
