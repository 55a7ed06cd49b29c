#include "app/cli/commands.h"

#include <CLI/CLI.hpp>

#include <memory>

namespace shardlens::cli {

void addEngine(CommandLine& line, std::function<int(const EngineOptions&)> engine) {
  const auto options = std::make_shared<EngineOptions>();
  CLI::App& command =
      line.addHidden("engine", [options, engine = std::move(engine)] { return engine(*options); });
  command.add_option("--socket", options->socket)->required();
  command.add_option("--record", options->record)->required();
  command.add_flag("--check", options->check);
  command.add_option("SCENARIO", options->scenario)->required();
}

}  // namespace shardlens::cli
