#pragma once

#include "app/cli/command_tree.h"

namespace shardlens::cli {

// What a shell reads to complete the command line: commands, options, and values of which there are
// few; elsewhere files.
std::string bashCompletion(const std::vector<CommandInfo>& commands);
std::string zshCompletion(const std::vector<CommandInfo>& commands);
std::string fishCompletion(const std::vector<CommandInfo>& commands);

}  // namespace shardlens::cli
