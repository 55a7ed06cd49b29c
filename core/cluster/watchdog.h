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

// A posted message that is not complete.
struct Pending {
  Message message;
  bool incoming = false;
  c10::intrusive_ptr<c10d::Work> work;
};

// Returns what a heartbeat reports of the message, as its receiver (`incoming`) or its sender.
MessageInfo messageInfoOf(const Message& message, bool incoming);

// A monitor that posts this process's heartbeats and ends its waits if the run fails. The first
// process that finds the reason writes it to the store as a failure, and all processes throw
// RankLost with its text. The heartbeat thread calls the store: per interval it writes one key,
// reads the failure, and reads the heartbeat of the process that this one waits for. The deadline
// thread never calls the store. It detects that the store does not answer and that a signal asks
// this process to end. Public functions are thread-safe.
class Watchdog {
 public:
  // Starts both threads, which keep the watchdog alive.
  static std::shared_ptr<Watchdog> begin(StatusStore store, const Rendezvous& meeting,
                                         ProcessHooks hooks, std::chrono::milliseconds patience);
  // Announces this process's exit and ends the threads. Call once. A process 0 that serves the
  // store waits up to 10 s for the others to leave first. A heartbeat thread that is blocked in the
  // store is detached.
  void leave();

  // Blocks until all processes have joined. Throws RankLost after a failure or after `patience`.
  void awaitAll();
  // Blocks until `done` returns true, polling it with the lock held. Throws RankLost after a
  // failure.
  void awaitConnection(const std::function<bool()>& done);
  // Ends the joining phase. From now on the watchdog watches the process that a wait depends on.
  // Until then it watches the next process.
  void joined();

  // Sets the step that heartbeats and messages name, and clears the refusal.
  void setStep(std::string step);
  // Sets why this process refuses the current step; see Processes::refuse().
  void refuse(std::string why);
  // Reports that this process has failed, which ends the run unless there is an earlier failure.
  // Blocks up to 2 s for the failure to be stored; does not throw.
  void fail(const std::string& why);
  void setRanksPerProcess(int ranks);
  // Returns why the run has ended, or nullopt while it has not.
  std::optional<std::string> ended();

  // An exchange of the main thread, watched during the object's lifetime. Exchanges may be nested
  // but not concurrent. The constructor throws RankLost if the run has ended.
  class Exchange {
   public:
    Exchange(Watchdog& watch, const Purpose& purpose);
    ~Exchange();
    Exchange(const Exchange&) = delete;
    Exchange& operator=(const Exchange&) = delete;

    Position position() const { return position_; }
    // Aborts these messages if the run ends. `pending` must outlive the exchange. Throws RankLost
    // if the run has ended.
    void watch(const std::vector<Pending>& pending);
    // Watches the next process instead, for a transfer that does not use messages; each process
    // does so, so all are watched. A next process that takes part must not get past this exchange.
    void watchNext(bool takesPart);
    // Sets the index of the pending message that is waited for now.
    void at(std::size_t index) { watch_.at_.store(index, std::memory_order_relaxed); }
    // Call when that wait was aborted or its connection broke. Blocks until the failure is known
    // and throws it as RankLost.
    [[noreturn]] void fail(const Message& message, bool incoming, const std::string& reason);
    // Call when the transfer failed. Waits for the failure of another process, else reports one of
    // this process, and throws it as RankLost.
    [[noreturn]] void fail(const std::string& reason);

   private:
    Watchdog& watch_;
    Position position_;
    const Purpose* outer_;  // purpose of the enclosing exchange, or null
  };

 private:
  struct Awaited {
    MessageInfo message;
    bool takesPart = true;  // false: the other process may get further
  };
  struct Break {
    MessageInfo message;
    std::string reason;
  };
  // The state at the start of a round of the heartbeat loop.
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
  // Returns true if a whole heartbeat interval has passed.
  bool endRound(const std::optional<RunFailure>& failure);
  void announceExit();
  void setFailure(const RunFailure& failure);  // with the lock held

  void deadlineLoop();
  RunFailure storeLost(const std::string& how) const;  // with the lock held, as the four below
  Heartbeat here() const;
  std::optional<Awaited> awaited() const;
  RankLost rankLost() const;
  std::chrono::seconds peerPatience() const;
  bool keepsStore() const { return meeting_.process == 0 && !meeting_.agentStore; }

  StatusStore store_;
  const Rendezvous meeting_;
  const ProcessHooks hooks_;
  const std::chrono::milliseconds patience_;

  std::mutex mutex_;
  std::condition_variable changed_;
  Heartbeat self_;
  const Purpose* purpose_ = nullptr;               // of the running exchange
  const std::vector<Pending>* pending_ = nullptr;  // while it waits for messages
  std::optional<Awaited> next_;                    // while it waits for another kind of transfer
  std::atomic<std::size_t> at_{0};
  std::optional<RunFailure> failure_, proposed_;
  std::optional<Break> broken_;
  int present_ = 0;
  bool joining_ = true, leaving_ = false, finished_ = false;
  int ticksWithoutRound_ = 0;  // counted by the deadline loop

  // Used by the heartbeat thread only.
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
