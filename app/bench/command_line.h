#pragma once

#include "app/bench/loop.h"
#include "app/bench/team.h"

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
};

// An exit code where the command line says all, or is wrong.
std::variant<PlainOptions, PeerOptions, LoopOptions, MemberOptions, int> parseCommandLine(
    int argc, char** argv);

}  // namespace shardlens
