#include "app/cli/command_line.h"
#include "app/cli/commands.h"
#include "app/cli/window.h"

#include <CLI/CLI.hpp>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace shardlens::cli {
namespace {

constexpr auto kOnOpening =
    "  shardlens open run.shardlens\n"
    "  shardlens open DIR --steps 3-5\n"
    "  shardlens open $(shardlens gallery 5)\n"
    "\n"
    "Exit codes: those of shardlens-gui, which replaces this process; 2 if it is not installed.";

int openWindow(const std::filesystem::path& path, const std::string& steps) {
  std::vector<std::string> arguments;
  if (!path.empty()) arguments.push_back(path.string());
  if (!steps.empty()) arguments.insert(arguments.end(), {"--steps", steps});
  return becomeWindow(std::move(arguments));
}

}  // namespace

void addOpen(CommandLine& line) {
  const auto path = std::make_shared<std::filesystem::path>();
  const auto steps = std::make_shared<std::string>();
  CLI::App& command = line.add("open", "Open the window, with a scenario or a recording",
                               [path, steps] { return openWindow(*path, *steps); });
  auto* file = command.add_option("PATH", *path,
                                  "A scenario, a recording, or the folder of a run's processes");
  command
      .add_option("--steps", *steps,
                  "Open only these steps of a recording: 3-5,8. Events are then numbered within "
                  "them")
      ->type_name("N")
      ->check(CLI::Validator(refusedSteps, "", "steps"))
      ->needs(file);
  command.footer(kOnOpening);
}

}  // namespace shardlens::cli
