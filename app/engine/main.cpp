#include "app/cli/commands.h"

#include <exception>
#include <iostream>

namespace shardlens::cli {

namespace {

struct Dispatch {
  int operator()(const RunOptions& options) const { return run(options); }
  int operator()(const ReplayOptions& options) const { return replay(options); }
  int operator()(const PlanOptions& options) const { return plan(options); }
  int operator()(const OpsOptions& options) const { return ops(options); }
  int operator()(const DoctorOptions& options) const { return doctor(options); }
  int operator()(const ServeCommand& command) const { return serveRecordings(command); }
  int operator()(const FollowCommand& command) const { return followRun(command); }
  int operator()(const EngineOptions& options) const { return runEngine(options); }
};

int start(int argc, char** argv) {
  const auto parsed = parseCommandLine(argc, argv);
  if (const auto* exitCode = std::get_if<int>(&parsed)) return *exitCode;
  return std::visit(Dispatch{}, std::get<Command>(parsed));
}

}  // namespace
}  // namespace shardlens::cli

int main(int argc, char** argv) {
  try {
    return shardlens::cli::start(argc, argv);
  } catch (const std::exception& bug) {
    std::cerr << "shardlens: a bug of Shardlens, please report it: " << bug.what() << '\n';
    return shardlens::cli::kRefused;
  }
}
