#include "app/cli/command_tree.h"
#include "app/cli/commands.h"

#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include <algorithm>
#include <iostream>
#include <memory>

namespace shardlens::cli {
namespace {

constexpr auto kOnCompletions =
    "  source <(shardlens completion bash)\n"
    "  shardlens completion fish > ~/.config/fish/completions/shardlens.fish\n"
    "An installation includes all three.";

std::string joinedWords(const std::vector<std::string>& words) {
  std::string text;
  for (const auto& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

std::string namesOf(const std::vector<CommandInfo>& commands) {
  std::vector<std::string> names;
  for (const auto& command : commands) names.push_back(command.name);
  return joinedWords(names);
}

// Puts a backslash before each of these letters.
std::string escaped(const std::string& text, std::string_view letters) {
  std::string all;
  for (const char letter : text) {
    if (letters.find(letter) != std::string_view::npos) all += '\\';
    all += letter;
  }
  return all;
}

// Quotes a text for a Bourne shell.
std::string quoted(std::string text) {
  for (std::size_t at = 0; (at = text.find('\'', at)) != std::string::npos; at += 4) {
    text.replace(at, 1, "'\\''");
  }
  return "'" + text + "'";
}

// Returns the text up to the first semicolon or line break.
std::string firstSentence(const std::string& about) {
  return about.substr(0, about.find_first_of(";\n"));
}

// The next three functions return the completion script for a shell. It completes commands, options
// and options with listed values; otherwise files.
std::string bashCompletion(const std::vector<CommandInfo>& commands) {
  std::string text =
      "# bash completion for shardlens\n"
      "_shardlens() {\n"
      "  local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n"
      "  local command=${COMP_WORDS[1]} words=\n"
      "  COMPREPLY=()\n"
      "  if ((COMP_CWORD == 1)); then\n"
      "    COMPREPLY=($(compgen -W '" +
      namesOf(commands) +
      " --help --version' -- \"$current\"))\n"
      "    return\n"
      "  fi\n"
      "  case $command in\n";
  for (const auto& command : commands) {
    std::vector<std::string> names = {"--help"};
    std::string values;
    for (const auto& option : command.options) {
      if (!option.isPositional) names.push_back(option.name);
      if (option.words.empty()) continue;
      values +=
          fmt::format("      [[ $before == {} ]] && words='{}'\n",
                      option.isPositional ? command.name : option.name, joinedWords(option.words));
    }
    text += fmt::format("    {})\n{}      [[ $current == -* ]] && words='{}' ;;\n", command.name,
                        values, joinedWords(names));
  }
  return text +
         "  esac\n"
         "  COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
         "}\n"
         "complete -o default -F _shardlens shardlens\n";
}

std::string zshCompletion(const std::vector<CommandInfo>& commands) {
  std::string text =
      "#compdef shardlens\n"
      "_shardlens() {\n"
      "  local -a commands\n"
      "  commands=(\n";
  for (const auto& command : commands) {
    text += "    " + quoted(command.name + ":" + escaped(command.about, ":")) + "\n";
  }
  text +=
      "  )\n"
      "  if ((CURRENT == 2)); then\n"
      "    _describe command commands\n"
      "    return\n"
      "  fi\n"
      "  local command=$words[2]\n"
      "  shift words\n"
      "  ((CURRENT--))\n"
      "  case $command in\n";
  for (const auto& command : commands) {
    text += "    " + command.name + ") _arguments";
    std::string values = "_files";
    for (const auto& option : command.options) {
      const std::string action =
          option.words.empty() ? "_files" : "(" + joinedWords(option.words) + ")";
      if (option.isPositional) {
        if (!option.words.empty()) values = action;
        continue;
      }
      const std::string value =
          option.type.empty() ? "" : ":" + escaped(option.type, ":[]\\") + ":" + action;
      text += " \\\n      " + quoted(option.name + "[" +
                                     escaped(firstSentence(option.about), "[]:\\") + "]" + value);
    }
    text += " \\\n      '*:argument:" + values + "' ;;\n";
  }
  return text +
         "  esac\n"
         "}\n"
         "_shardlens \"$@\"\n";
}

std::string fishCompletion(const std::vector<CommandInfo>& commands) {
  std::string text;
  for (const auto& command : commands) {
    text += fmt::format("complete -c shardlens -n __fish_use_subcommand -f -a {} -d '{}'\n",
                        command.name, escaped(command.about, "'\\"));
    for (const auto& option : command.options) {
      const std::string of =
          fmt::format("complete -c shardlens -n '__fish_seen_subcommand_from {}'", command.name);
      const std::string words =
          option.words.empty() ? "" : fmt::format(" -f -a '{}'", joinedWords(option.words));
      if (option.isPositional) {
        if (!words.empty()) text += of + words + "\n";
        continue;
      }
      text += fmt::format("{} -l {}{}{} -d '{}'\n", of, option.name.substr(2),
                          option.type.empty() ? "" : " -r", words,
                          escaped(firstSentence(option.about), "'\\"));
    }
  }
  return text;
}

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
