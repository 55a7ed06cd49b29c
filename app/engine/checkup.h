#pragma once

#include <string>
#include <vector>

namespace shardlens::cli {

// One requirement of runs, whether the machine meets it, and what to do if not.
struct Finding {
  // Absent: missing or taken, but only nccl cannot do without it. Wrong: a run would fail.
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

// Checks the backends simulated, gloo and nccl, in this order. Two threads meet through Gloo on a
// free port of this machine as two processes would; if this fails, it can block for 10 seconds.
// Errors become findings.
std::vector<Checkup> checkUp();

}  // namespace shardlens::cli
