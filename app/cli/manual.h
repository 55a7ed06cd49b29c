#pragma once

#include "app/cli/command_tree.h"

#include <string_view>

namespace shardlens::cli {

// Return manual pages in the macros of man(7): shardlens(1), and the page of a command, e.g.
// shardlens-run(1).
std::string programPage(const CLI::App& app, std::string_view version);
std::string commandPage(const CommandInfo& command, std::string_view version);

}  // namespace shardlens::cli
