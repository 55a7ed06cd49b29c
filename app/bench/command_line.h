#pragma once

#include "app/bench/journal_reader.h"
#include "app/bench/loop.h"
#include "app/bench/team.h"
#include "core/model/event.h"

#include <string>
#include <variant>
#include <vector>

namespace shardlens {

// A run of the measurements of this program alone.
struct PlainOptions {
  std::vector<std::string> benchmarkOptions;  // for Google Benchmark
};

// A run of comparisons, most of them with DTensor in another process (--peers).
struct PeerOptions {
  std::vector<std::string> comparisons;  // names, as "dispatch"
  std::string python;                    // path of the interpreter
  std::string json;                      // path for all samples; empty: not written
  int threads = 1;                       // of torch, on both sides
  EventId events = 10'000'000;           // size of a large recording or run
  int ranks = 64;                        // of a run
};

// Returns the options of the requested run. Returns an exit code if there is nothing to run: 0
// after printing help, 2 after printing an error.
std::variant<PlainOptions, PeerOptions, LoopOptions, MemberOptions, JournalReaderOptions, int>
parseCommandLine(int argc, char** argv);

}  // namespace shardlens
