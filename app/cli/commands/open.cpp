#include "app/cli/commands.h"
#include "app/cli/installed_files.h"

#include <CLI/CLI.hpp>

#include <cerrno>
#include <cstring>
#include <memory>
#include <unistd.h>

namespace shardlens::cli {
namespace {

constexpr auto kOnOpening =
    "  shardlens open run.shardlens\n"
    "  shardlens open $(shardlens gallery 5)\n"
    "\n"
    "Exit codes: those of shardlens-gui, which this becomes; 2 where it is not installed.";

int openWindow(const std::filesystem::path& path) {
  const auto window = programFile("shardlens-gui");
  if (window.empty()) {
    return unusable("the window, shardlens-gui, is not beside this program: it was not built");
  }
  ::execl(window.c_str(), window.c_str(), path.empty() ? nullptr : path.c_str(), nullptr);
  return unusable("cannot start " + window.string() + ": " + std::strerror(errno));
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
