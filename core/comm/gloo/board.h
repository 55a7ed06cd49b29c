#pragma once

#include "core/comm/gloo/notice.h"
#include "core/comm/gloo/rendezvous.h"
#include "core/comm/gloo/verdict.h"

#include <torch/csrc/distributed/c10d/Store.hpp>

#include <chrono>
#include <optional>

namespace shardlens {

// The store where the processes meet, as a board for what each tells of itself and for the one
// verdict that all of them follow. A call waits for the store's answer without an end where the
// store is stopped, and throws where it is gone.
class Board {
 public:
  using Store = c10::intrusive_ptr<c10d::Store>;

  // Process 0 opens the store, unless an agent has; connects to it.
  static Store open(const Rendezvous& meeting, std::chrono::milliseconds timeout);
  explicit Board(Store store) : store_(std::move(store)) {}

  void post(const Notice& notice);
  std::optional<Notice> noticeOf(int process);
  std::optional<RunVerdict> verdict();
  // The verdict from now on: this one, unless there was one before.
  RunVerdict decide(const RunVerdict& verdict);

  // How many processes have come, with and without this one being counted.
  int come();
  int present();
  // The lowest of those that have not come.
  int firstMissing(int processes);

  void sayFarewell(int process);
  void awaitFarewells(int processes, int without, std::chrono::milliseconds patience);

 private:
  std::optional<std::string> read(const std::string& key);

  Store store_;
};

}  // namespace shardlens
