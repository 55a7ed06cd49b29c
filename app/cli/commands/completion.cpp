#include "app/cli/commands.h"
#include "app/cli/completions.h"

#include <CLI/CLI.hpp>

#include <iostream>
#include <memory>

namespace shardlens::cli {
namespace {

constexpr auto kOnCompletions =
    "  source <(shardlens completion bash)\n"
    "  shardlens completion fish > ~/.config/fish/completions/shardlens.fish\n"
    "An installation includes all three.";

}  // namespace

void addCompletion(CommandLine& line) {
  const auto shell = std::make_shared<std::string>();
  CLI::App& command =
      line.add("completion", "Print the completion script of a shell", [&line, shell] {
        const auto commands = commandsOf(line.app());
        std::cout << (*shell == "bash"  ? bashCompletion(commands)
                      : *shell == "zsh" ? zshCompletion(commands)
                                        : fishCompletion(commands));
        return finishOutput(kAllRan);
      });
  command.add_option("SHELL", *shell, "The shell")
      ->required()
      ->check(oneOf({"bash", "zsh", "fish"}));
  command.footer(kOnCompletions);
}

}  // namespace shardlens::cli
