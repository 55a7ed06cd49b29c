#pragma once

#include "app/cli/command_tree.h"

namespace shardlens::cli {

// Return the completion script for a shell. It completes commands, options and options with listed
// values; otherwise files.
std::string bashCompletion(const std::vector<CommandInfo>& commands);
std::string zshCompletion(const std::vector<CommandInfo>& commands);
std::string fishCompletion(const std::vector<CommandInfo>& commands);

}  // namespace shardlens::cli
