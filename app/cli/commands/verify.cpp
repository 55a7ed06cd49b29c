#include "app/cli/commands.h"
#include "app/cli/installed_files.h"

#include <CLI/CLI.hpp>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <unistd.h>
#include <vector>

namespace shardlens::cli {
namespace {

constexpr auto kOnVerifying =
    "Also runs the scenario on DTensor, with ranks that Python simulates in one process, and "
    "compares\n"
    "placements, local tensors and collectives (these until placements differ). The Python is\n"
    "SHARDLENS_TORCH, or that of .venv, or python3, and requires PyTorch 2.15. DTensor has "
    "defects\n"
    "too: shardlens run --check shows which side is right.\n"
    "  shardlens verify program.json\n"
    "\n"
    "Exit codes: 0 equal, 1 different, 2 the command line or the file is wrong, there is no such\n"
    "Python, or DTensor has no counterpart of a step.";

struct VerifyOptions {
  std::filesystem::path scenario;
  Output output = Output::Words;
};

std::string python() {
  if (const char* given = std::getenv("SHARDLENS_TORCH"); given != nullptr && *given != 0) {
    return given;
  }
  const auto own = programFile("../../.venv/bin/python3");
  return own.empty() ? "python3" : own.string();
}

int verify(const VerifyOptions& options) {
  const auto script = verifyScript();
  if (script.empty()) return unusable("verify: the script is not installed next to this program");
  std::error_code failed;
  const std::string program = std::filesystem::read_symlink("/proc/self/exe", failed).string();
  std::vector<std::string> words = {python(), script.string(), program, options.scenario.string()};
  if (options.output == Output::Json) words.emplace_back("--json");
  std::vector<char*> argv;
  for (auto& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  ::execvp(argv.front(), argv.data());
  return unusable("verify: cannot start " + words.front() + ": " + std::strerror(errno));
}

}  // namespace

void addVerify(CommandLine& line) {
  const auto options = std::make_shared<VerifyOptions>();
  CLI::App& command = line.add("verify", "Compare a scenario with PyTorch's DTensor",
                               [options] { return verify(*options); });
  command.add_option("FILE", options->scenario, "A scenario")->required();
  addJson(command, options->output, "Print one JSON object");
  command.footer(kOnVerifying);
}

}  // namespace shardlens::cli
