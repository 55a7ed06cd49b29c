#pragma once

#include "app/bench/lookup_case.h"
#include "core/base/result.h"

#include <string>
#include <vector>

namespace shardlens {

// Some of LookupCase's calls, each made again and again in a process that does nothing else.
struct LoopOptions {
  std::vector<std::string> calls;
  LookupCase::Size size = {100000, 128, 4096};
};

// Makes the calls and prints the most memory that this process ever had, in MiB.
void runLoop(const LoopOptions& loop);

// What such a process of this program prints.
Result<double> peakMiBOf(const LoopOptions& loop);

// How many instructions each call takes, as valgrind's callgrind counts them: the same in every
// run, whatever else a machine does. Fails where there is no valgrind.
Result<std::vector<double>> instructionsOf(const LoopOptions& loop);

}  // namespace shardlens
