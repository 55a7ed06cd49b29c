#include "app/cli/commands.h"

#include <cerrno>
#include <cstring>
#include <unistd.h>

namespace shardlens::cli {
namespace {

// Replaces this process by shardlens-engine, which is in the same folder. Returns, with an exit
// code, only if that fails. The engine is a separate program, because loading libtorch takes twenty
// times as long as a replay.
int becomeEngine(char** argv) {
  const auto here = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  const auto engine = here / "shardlens-engine";
  ::execv(engine.c_str(), argv);
  return unusable("cannot start " + engine.string() + ": " + std::strerror(errno));
}

}  // namespace
}  // namespace shardlens::cli

int main(int argc, char** argv) {
  const auto become = [argv](const auto&) { return shardlens::cli::becomeEngine(argv); };
  return shardlens::cli::runProgram(
      argc, argv,
      {.run = become, .ops = become, .whatIf = become, .doctor = become, .serve = become});
}
