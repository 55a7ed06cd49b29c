#pragma once

#include <string>
#include <vector>

namespace shardlens::cli {

// Becomes shardlens-gui, which stands beside this program, with these arguments. Gives the exit
// code where it cannot be started.
int becomeWindow(std::vector<std::string> arguments);

}  // namespace shardlens::cli
