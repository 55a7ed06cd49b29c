#pragma once

#include "core/cluster/heartbeat.h"
#include "core/cluster/rendezvous.h"
#include "core/cluster/run_failure.h"

#include <torch/csrc/distributed/c10d/Store.hpp>

#include <chrono>
#include <optional>

namespace shardlens {

// c10d's store, with the newest heartbeat of each process and the one failure that all throw. A
// call blocks for ever where the store's process is stopped, and throws where it is gone.
class StatusStore {
 public:
  using Store = c10::intrusive_ptr<c10d::Store>;

  // Process 0 opens the store, unless an agent has; connects to it.
  static Store open(const Rendezvous& meeting, std::chrono::milliseconds timeout);
  explicit StatusStore(Store store) : store_(std::move(store)) {}

  void post(const Heartbeat& heartbeat);
  std::optional<Heartbeat> heartbeatOf(int process);
  std::optional<RunFailure> failure();
  // Sets the failure, unless there is one, and returns the one there is.
  RunFailure decide(const RunFailure& failure);

  // Counts this process in; both return how many have been counted.
  int countIn();
  int present();
  // The lowest process that has not been counted.
  int firstMissing(int processes);

  void announceExit(int process);
  void awaitExits(int processes, int without, std::chrono::milliseconds patience);

 private:
  std::optional<std::string> read(const std::string& key);

  Store store_;
};

}  // namespace shardlens
