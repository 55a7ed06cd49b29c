#pragma once

#include "core/cluster/processes.h"
#include "core/cluster/status_store.h"

#include <torch/csrc/distributed/c10d/Work.hpp>

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace shardlens {

// A message under way.
struct Pending {
  Message message;
  bool incoming = false;
  c10::intrusive_ptr<c10d::Work> work;
};

MessageInfo messageInfoOf(const Message& message, bool incoming);

// Posts this process's heartbeats, and ends its waits when the run cannot go on: the first process
// that sees why writes the failure to the store, and all throw RankLost with its text. One thread
// posts and reads: each interval it writes one key and reads one, and that of the process it waits
// for. A second thread never calls the store: it sees when the store itself does not answer, and
// when this process is asked to end by a signal.
class Watchdog {
 public:
  static std::shared_ptr<Watchdog> begin(StatusStore store, const Rendezvous& meeting,
                                         ProcessHooks hooks, std::chrono::milliseconds patience);
  // Announces this process's exit. Process 0, where it keeps the store, leaves last, unless another
  // takes very long. To be called once; a thread that still waits for the store is detached.
  void leave();

  // Returns when all processes have come.
  void awaitAll();
  // Returns once `done` does; it is called with the lock held.
  void awaitConnection(const std::function<bool()>& done);
  void joined();

  void setStep(std::string step);
  void refuse(std::string why);
  // This process has failed: unless another has before, that is why the run cannot go on.
  void fail(const std::string& why);
  void setRanksPerProcess(int ranks);
  // Why the run cannot go on, once that is known.
  std::optional<std::string> ended();

  // One exchange of the main thread. At most one at a time, or one inside another.
  class Exchange {
   public:
    Exchange(Watchdog& watch, const Purpose& purpose);
    ~Exchange();
    Exchange(const Exchange&) = delete;
    Exchange& operator=(const Exchange&) = delete;

    Position position() const { return position_; }
    // From now on these are aborted when the run cannot go on.
    void watch(const std::vector<Pending>& pending);
    // Data is moved by other means than messages. Each process then watches the next one, so that
    // all are watched; one that takes part must not get further than this process.
    void watchNext(bool takesPart);
    // Which of the pending messages is waited for now.
    void at(std::size_t index) { watch_.at_.store(index, std::memory_order_relaxed); }
    // The wait for that message was aborted, or its connection broke: throws the failure.
    [[noreturn]] void fail(const Message& message, bool incoming, const std::string& reason);
    // The transfer failed: throws the failure, for which it waits some time.
    [[noreturn]] void fail(const std::string& reason);

   private:
    Watchdog& watch_;
    Position position_;
    const Purpose* outer_;  // of the exchange that this one is inside of
  };

 private:
  struct Awaited {
    MessageInfo message;
    bool takesPart = true;  // otherwise the other process may be further
  };
  struct Break {
    MessageInfo message;
    std::string reason;
  };
  // What one round of the heartbeat loop begins with.
  struct Round {
    Heartbeat heartbeat;
    std::optional<Awaited> awaited;
    std::optional<RunFailure> proposed;
    std::optional<Break> broken;
    bool joining = false, leaving = false;
  };

  Watchdog(StatusStore store, const Rendezvous& meeting, ProcessHooks hooks,
           std::chrono::milliseconds patience);

  void heartbeatLoop();
  Round beginRound(bool beat);
  Heartbeat heartbeatOf(int process, const Heartbeat& mine);
  std::optional<RunFailure> checkPeer(const Round& round, bool beat);
  std::optional<RunFailure> checkJoining(bool beat);
  bool endRound(const std::optional<RunFailure>& failure);  // whether a whole beat has passed then
  void announceExit();
  void setFailure(const RunFailure& failure);  // with the lock held

  void deadlineLoop();
  RunFailure storeLost(const std::string& how) const;  // as the two below, with the lock held
  Heartbeat here() const;
  std::optional<Awaited> awaited() const;
  RankLost rankLost() const;
  std::chrono::seconds patienceWithOthers() const;
  bool keepsStore() const { return meeting_.process == 0 && !meeting_.agentStore; }

  StatusStore store_;
  const Rendezvous meeting_;
  const ProcessHooks hooks_;
  const std::chrono::milliseconds patience_;

  std::mutex mutex_;
  std::condition_variable changed_;
  Heartbeat self_;
  const Purpose* purpose_ = nullptr;               // of the exchange under way
  const std::vector<Pending>* pending_ = nullptr;  // while it waits
  std::optional<Awaited> next_;                    // while it waits for something else
  std::atomic<std::size_t> at_{0};
  std::optional<RunFailure> failure_, proposed_;
  std::optional<Break> broken_;
  int present_ = 0;
  bool joining_ = true, leaving_ = false, finished_ = false;
  int ticksWithoutRound_ = 0;  // of the deadline loop

  // Of the heartbeat thread alone.
  struct PeerState {
    Position position;
    std::size_t at = 0;
    Stall stall;
    std::int64_t lastBeat = -1;
    bool warned = false;
  } peer_;
  int shortRounds_ = 0;

  std::thread heartbeatThread_, deadlineThread_;
};

}  // namespace shardlens
