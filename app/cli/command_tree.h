#pragma once

#include <CLI/App.hpp>

#include <string>
#include <vector>

namespace shardlens::cli {

// What a command line is made of, as its completions and its manual say it.
struct OptionInfo {
  std::string name;                // "--color"; of a positional "PATH"
  std::string type;                // "WHEN"; empty for a flag
  std::string about;               // what it does
  std::vector<std::string> words;  // the only values; empty where there are others
  bool isPositional = false;
};

struct CommandInfo {
  std::string name;
  std::string about;   // in a line
  std::string footer;  // examples, exit codes
  std::vector<OptionInfo> options;
};

// Those that are for people, in order.
std::vector<CommandInfo> commandsOf(const CLI::App& app);

}  // namespace shardlens::cli
