#include "app/cli/command_tree.h"

#include <CLI/CLI.hpp>

#include <sstream>

namespace shardlens::cli {
namespace {

// Returns "auto", "always" and "never" for "WHEN:{auto,always,never}".
std::vector<std::string> wordsIn(const std::string& type) {
  std::vector<std::string> words;
  const auto open = type.find('{');
  const auto close = type.find('}');
  if (open == std::string::npos || close == std::string::npos) return words;
  std::istringstream list(type.substr(open + 1, close - open - 1));
  for (std::string word; std::getline(list, word, ',');) words.push_back(word);
  return words;
}

OptionInfo infoOf(const CLI::Option& option) {
  const bool isFlag = option.get_items_expected_max() == 0;
  const std::string type = isFlag ? "" : option.get_type_name();
  return {.name = option.get_positional() ? option.get_name(true) : option.get_name(),
          .type = type.substr(0, type.find(":{")),
          .about = option.get_description(),
          .words = wordsIn(type),
          .isPositional = option.get_positional()};
}

}  // namespace

std::vector<CommandInfo> commandsOf(const CLI::App& app) {
  std::vector<CommandInfo> commands;
  for (const auto* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (command->get_group().empty()) continue;
    CommandInfo info{command->get_name(), command->get_description(), command->get_footer(), {}};
    for (const auto* option : command->get_options()) {
      const bool isHidden = option->get_group().empty();
      if (!isHidden && option->get_name() != "--help") info.options.push_back(infoOf(*option));
    }
    commands.push_back(std::move(info));
  }
  return commands;
}

}  // namespace shardlens::cli
