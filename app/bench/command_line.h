#pragma once

#include "app/bench/journal_reader.h"
#include "app/bench/loop.h"
#include "app/bench/team.h"
#include "core/model/event.h"

#include <string>
#include <variant>
#include <vector>

namespace shardlens {

struct PlainOptions {
  std::vector<std::string> benchmarkOptions;
};

struct PeerOptions {
  std::vector<std::string> comparisons;
  std::string python;
  std::string json;  // a file, or none
  int threads = 1;
  EventId events = 10'000'000;  // of a large recording
};

// An exit code where the command line says all, or is wrong.
std::variant<PlainOptions, PeerOptions, LoopOptions, MemberOptions, JournalReaderOptions, int>
parseCommandLine(int argc, char** argv);

}  // namespace shardlens
