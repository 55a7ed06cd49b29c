#include "app/cli/commands.h"

#include <CLI/CLI.hpp>

#include <memory>

namespace shardlens::cli {

void addDoctor(CommandLine& line, std::function<int(const DoctorOptions&)> doctor) {
  const auto options = std::make_shared<DoctorOptions>();
  CLI::App& command =
      line.add("doctor", "Check what this machine offers for runs, and how to add what is missing",
               [options, doctor = std::move(doctor)] { return doctor(*options); });
  addJson(command, options->output, "Print one JSON object");
  command.footer(
      "  shardlens doctor --json | jq .backends\n"
      "\n"
      "Exit codes: 0 simulated ranks and processes can run, 1 a check failed, 2 the command\n"
      "line is wrong. GPUs may be missing.");
}

}  // namespace shardlens::cli
