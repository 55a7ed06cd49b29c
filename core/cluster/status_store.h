#pragma once

#include "core/cluster/heartbeat.h"
#include "core/cluster/rendezvous.h"
#include "core/cluster/run_failure.h"

#include <torch/csrc/distributed/c10d/Store.hpp>

#include <chrono>
#include <optional>

namespace shardlens {

// c10d's store with the newest heartbeat of each process and the failure that all processes throw.
// Calls block forever while the store's process is stopped, and throw if it is gone. Call it from
// one thread at a time.
class StatusStore {
 public:
  using Store = c10::intrusive_ptr<c10d::Store>;

  // Connects to the store. Process 0 serves it, unless torchrun's agent does.
  static Store open(const Rendezvous& meeting, std::chrono::milliseconds timeout);
  explicit StatusStore(Store store) : store_(std::move(store)) {}

  // Replaces this process's heartbeat.
  void post(const Heartbeat& heartbeat);
  // Returns nullopt if the process has not posted one.
  std::optional<Heartbeat> heartbeatOf(int process);
  // Returns the failure that ended the run, or nullopt.
  std::optional<RunFailure> failure();
  // Sets the failure unless there is one already, in one atomic step. Returns the failure in the
  // store, which is the same in all processes.
  RunFailure decide(const RunFailure& failure);

  // countIn() adds this process. Both return the number of processes added so far.
  int countIn();
  int present();
  // Returns the lowest process that has not posted a heartbeat, or `processes` if all have.
  int firstMissing(int processes);

  // Marks this process as about to exit.
  void announceExit(int process);
  // Blocks until all processes except `without` (-1: none) have announced their exit. Throws after
  // `patience`.
  void awaitExits(int processes, int without, std::chrono::milliseconds patience);

 private:
  std::optional<std::string> read(const std::string& key);

  Store store_;
};

}  // namespace shardlens
