#include "app/cli/commands.h"
#include "app/cli/output.h"

#include <cerrno>
#include <cstring>
#include <exception>
#include <iostream>
#include <unistd.h>

namespace shardlens::cli {
namespace {

// Runs what needs no torch itself, and becomes shardlens-engine, which stands beside it, for the
// rest: loading libtorch takes twenty times as long as a replay does.
class Dispatch {
 public:
  explicit Dispatch(char** argv) : argv_(argv) {}

  int operator()(const ReplayOptions& options) const { return replay(options); }
  int operator()(const PlanOptions& options) const { return plan(options); }
  int operator()(const ServeCommand& command) const { return serveRecordings(command); }
  int operator()(const FollowCommand& command) const { return followRun(command); }
  int operator()(const auto& /*of the engine*/) const {
    const auto here = std::filesystem::read_symlink("/proc/self/exe").parent_path();
    const auto engine = here / "shardlens-engine";
    ::execv(engine.c_str(), argv_);
    return unusable("cannot start " + engine.string() + ": " + std::strerror(errno));
  }

 private:
  char** argv_;
};

int start(int argc, char** argv) {
  const auto parsed = parseCommandLine(argc, argv);
  if (const auto* exitCode = std::get_if<int>(&parsed)) return *exitCode;
  return std::visit(Dispatch(argv), std::get<Command>(parsed));
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
