#pragma once

#include "core/cluster/processes.h"
#include "core/cluster/watchdog.h"

#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>

namespace shardlens {

// c10d's part, and the watch over it.
struct Processes::Links {
  c10::intrusive_ptr<c10d::Store> store;  // process 0's may be the one that all meet at
  c10::intrusive_ptr<c10d::ProcessGroupGloo> group;
  std::shared_ptr<Watchdog> watch;
  bool hasLeft = false;
};

}  // namespace shardlens
