#pragma once

#include <string>
#include <vector>

namespace shardlens::cli {

// What a machine has of what runs need, and what to do about what it has not.
struct Finding {
  enum class State { Good, Absent, Wrong };

  std::string what;  // "NCCL"
  State state = State::Good;
  std::string found;  // "2.30.7, /usr/lib/libnccl.so.2", or why there is none
  std::string todo;   // empty where all is well
};

// What runs on one kind of ranks need, and so whether they can.
struct Checkup {
  std::string backend;  // "simulated", as run --backend names it
  std::vector<Finding> findings;

  bool isReady() const;
};

// For each backend. Tries what can be tried: two processes of Gloo meet on this machine.
std::vector<Checkup> checkUp();

}  // namespace shardlens::cli
