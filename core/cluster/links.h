#pragma once

#include "core/cluster/processes.h"
#include "core/cluster/watchdog.h"

#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>

namespace shardlens {

// The c10d objects of a Processes and its watchdog. Owned by the Processes; used by its calling
// thread.
struct Processes::Links {
  c10::intrusive_ptr<c10d::Store> store;  // in process 0 it may also serve the other processes
  c10::intrusive_ptr<c10d::ProcessGroupGloo> group;
  std::shared_ptr<Watchdog> watch;
  bool hasLeft = false;
};

}  // namespace shardlens
