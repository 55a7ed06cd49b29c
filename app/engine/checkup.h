#pragma once

#include <string>
#include <vector>

namespace shardlens::cli {

// One requirement of runs, whether the machine meets it, and what to do if not.
struct Finding {
  enum class State { Good, Absent, Wrong };

  std::string what;  // "NCCL"
  State state = State::Good;
  std::string found;  // "2.30.7, /usr/lib/libnccl.so.2", or why it is missing
  std::string todo;   // advice; empty if all is well
};

// The requirements of one backend.
struct Checkup {
  std::string backend;  // "simulated", as run --backend names it
  std::vector<Finding> findings;

  // Returns true if nothing is Wrong; for "nccl", also only if nothing is Absent.
  bool isReady() const;
};

// Checks each backend. Tries it where possible: two Gloo processes meet on this machine.
std::vector<Checkup> checkUp();

}  // namespace shardlens::cli
