#pragma once

#include "app/cli/output.h"

#include <filesystem>
#include <vector>

namespace shardlens::cli {

// Prints the totals of the recordings of a run, from their summaries: `shardlens info --totals`.
// Returns the exit code.
int runTotals(const std::vector<std::filesystem::path>& files, Output output);

}  // namespace shardlens::cli
