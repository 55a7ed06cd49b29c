#pragma once

#include <string>
#include <vector>

namespace shardlens::cli {

// Replaces this process by shardlens-gui, which is installed beside it, with these arguments.
// Returns an exit code only if it cannot be started.
int becomeWindow(std::vector<std::string> arguments);

}  // namespace shardlens::cli
