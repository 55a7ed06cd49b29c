#pragma once

#include <string>
#include <vector>

namespace shardlens::cli {

// Replaces this process by shardlens-gui, which is installed beside it, with these arguments.
// Returns only if it cannot be started: reports the error through unusable() and returns its exit
// code.
int becomeWindow(std::vector<std::string> arguments);

}  // namespace shardlens::cli
