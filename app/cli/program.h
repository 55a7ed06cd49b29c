#pragma once

#include "app/cli/commands.h"

#include <exception>
#include <iostream>

namespace shardlens::cli {

// What every program can do: the commands that need no torch.
struct TorchFreeCommands {
  int operator()(const ReplayOptions& options) const { return replay(options); }
  int operator()(const ShowOptions& options) const { return show(options); }
  int operator()(const InfoOptions& options) const { return info(options); }
  int operator()(const QueryOptions& options) const { return query(options); }
  int operator()(const ProblemsOptions& options) const { return problems(options); }
  int operator()(const LintOptions& options) const { return lint(options); }
  int operator()(const PlanOptions& options) const { return plan(options); }
  int operator()(const ServeCommand& command) const { return serveRecordings(command); }
  int operator()(const FollowCommand& command) const { return followRun(command); }
};

// A main(): gives the command that was written to `dispatch`, which takes any of Command, and
// returns the exit code.
template <class Dispatch>
int runProgram(int argc, char** argv, const Dispatch& dispatch) {
  try {
    const auto parsed = parseCommandLine(argc, argv);
    if (const auto* exitCode = std::get_if<int>(&parsed)) return *exitCode;
    return std::visit(dispatch, std::get<Command>(parsed));
  } catch (const std::exception& bug) {
    std::cerr << "shardlens: a bug of Shardlens, please report it: " << bug.what() << '\n';
    return kRefused;
  }
}

}  // namespace shardlens::cli
