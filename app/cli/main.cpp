#include "app/cli/output.h"
#include "app/cli/program.h"

#include <cerrno>
#include <cstring>
#include <unistd.h>

namespace shardlens::cli {
namespace {

// Becomes shardlens-engine, which stands beside this program, for what needs torch: loading
// libtorch takes twenty times as long as a replay does.
struct Dispatch : TorchFreeCommands {
  using TorchFreeCommands::operator();
  int operator()(const auto& /*of the engine*/) const {
    const auto here = std::filesystem::read_symlink("/proc/self/exe").parent_path();
    const auto engine = here / "shardlens-engine";
    ::execv(engine.c_str(), argv);
    return unusable("cannot start " + engine.string() + ": " + std::strerror(errno));
  }
  char** argv;
};

}  // namespace
}  // namespace shardlens::cli

int main(int argc, char** argv) {
  return shardlens::cli::runProgram(argc, argv, shardlens::cli::Dispatch{{}, argv});
}
