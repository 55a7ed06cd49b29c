#pragma once

#include "core/base/result.h"

#include <string>
#include <vector>

namespace shardlens {

// The cost of a program, from its start to its end.
struct ProgramCost {
  double wall = 0;       // seconds
  double processor = 0;  // seconds of all threads
  double MiB = 0;        // peak memory
};

// Runs a program of the folder of this one with these arguments, and discards its output. A window
// has no display. Fails if the program is missing or its exit code is above 1.
Result<ProgramCost> costOf(const std::string& program, const std::vector<std::string>& arguments);

}  // namespace shardlens
