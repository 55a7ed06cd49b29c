#pragma once

#include "app/bench/lookup_case.h"
#include "core/base/result.h"

#include <string>
#include <vector>

namespace shardlens {

// A loop of calls of LookupCase, for a profiler: each is made five times, the first to warm up.
struct LoopOptions {
  std::vector<std::string> calls;  // of LookupCase::names()
  LookupCase::Size size = {100000, 128, 4096};
};

// Makes the calls in this process. Prints the peak memory of the process in MiB.
void runLoop(const LoopOptions& loop);

// Runs runLoop() in a new process of this program. Returns the peak memory in MiB.
Result<double> peakMiBOf(const LoopOptions& loop);

// Returns the mean number of instructions per call, without the warm-up, for each name in
// `loop.calls`. Valgrind's callgrind counts them, so the load of the machine has no influence.
// Fails if valgrind is not installed.
Result<std::vector<double>> instructionsOf(const LoopOptions& loop);

}  // namespace shardlens
