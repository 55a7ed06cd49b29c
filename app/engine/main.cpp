#include "app/cli/program.h"

namespace shardlens::cli {
namespace {

struct Dispatch : TorchFreeCommands {
  using TorchFreeCommands::operator();
  int operator()(const RunOptions& options) const { return run(options); }
  int operator()(const OpsOptions& options) const { return ops(options); }
  int operator()(const DoctorOptions& options) const { return doctor(options); }
  int operator()(const EngineOptions& options) const { return runEngine(options); }
};

}  // namespace
}  // namespace shardlens::cli

int main(int argc, char** argv) {
  return shardlens::cli::runProgram(argc, argv, shardlens::cli::Dispatch{});
}
