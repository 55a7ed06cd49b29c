#pragma once

#include "core/cluster/heartbeat.h"
#include "core/cluster/rendezvous.h"
#include "core/cluster/run_failure.h"

#include <torch/csrc/distributed/c10d/Store.hpp>

#include <chrono>
#include <optional>

namespace shardlens {

// The store where the processes meet: it keeps the heartbeat of each of them and the one
// failure that all of them follow. A call waits for the store's answer without an end where the
// store is stopped, and throws where it is gone.
class StatusStore {
 public:
  using Store = c10::intrusive_ptr<c10d::Store>;

  // Process 0 opens the store, unless an agent has; connects to it.
  static Store open(const Rendezvous& meeting, std::chrono::milliseconds timeout);
  explicit StatusStore(Store store) : store_(std::move(store)) {}

  void post(const Heartbeat& heartbeat);
  std::optional<Heartbeat> heartbeatOf(int process);
  std::optional<RunFailure> failure();
  // The failure from now on: this one, unless there was one before.
  RunFailure decide(const RunFailure& failure);

  // How many processes have come, with and without this one being counted.
  int countIn();
  int present();
  // The lowest of those that have not come.
  int firstMissing(int processes);

  void announceExit(int process);
  void awaitExits(int processes, int without, std::chrono::milliseconds patience);

 private:
  std::optional<std::string> read(const std::string& key);

  Store store_;
};

}  // namespace shardlens
