#pragma once

#include <CLI/App.hpp>

#include <string>
#include <vector>

namespace shardlens::cli {

// The commands of a command line and their options, for completions and the manual.
struct OptionInfo {
  std::string name;                // "--color", or "PATH" for a positional
  std::string type;                // "WHEN"; empty for a flag
  std::string about;               // the help text
  std::vector<std::string> words;  // all allowed values; empty if any value is allowed
  bool isPositional = false;
};

struct CommandInfo {
  std::string name;
  std::string about;   // one line
  std::string footer;  // examples and exit codes
  std::vector<OptionInfo> options;
};

// Returns the visible commands in the order in which they were added, without their --help.
std::vector<CommandInfo> commandsOf(const CLI::App& app);

}  // namespace shardlens::cli
