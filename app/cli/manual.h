#pragma once

#include "app/cli/command_tree.h"

#include <string_view>

namespace shardlens::cli {

// Pages of the manual, in the macros of man(7): that of the program, shardlens(1), and that of a
// command, as shardlens-run(1).
std::string programPage(const CLI::App& app, std::string_view version);
std::string commandPage(const CommandInfo& command, std::string_view version);

}  // namespace shardlens::cli
