#include "app/cli/manual.h"

#include "app/cli/commands.h"
#include "shardlens_build.h"

#include <CLI/CLI.hpp>

#include <fstream>
#include <memory>

namespace shardlens::cli {
namespace {

Result<void> writePage(const std::filesystem::path& path, const std::string& page) {
  std::ofstream file(path, std::ios::binary);
  file << page;
  file.close();
  if (!file) return fail("cannot write " + path.string());
  return {};
}

int writeManual(const CommandLine& line, const std::filesystem::path& folder) {
  auto written = writePage(folder / "shardlens.1", programPage(line.app(), kVersion));
  for (const auto& command : commandsOf(line.app())) {
    if (!written) break;
    written =
        writePage(folder / ("shardlens-" + command.name + ".1"), commandPage(command, kVersion));
  }
  return written ? kAllRan : unusable("manual: " + written.error().message);
}

}  // namespace

void addManual(CommandLine& line) {
  const auto folder = std::make_shared<std::filesystem::path>();
  CLI::App& command =
      line.addHidden("manual", [&line, folder] { return writeManual(line, *folder); });
  command.add_option("DIR", *folder)->required()->check(CLI::ExistingDirectory);
}

}  // namespace shardlens::cli
