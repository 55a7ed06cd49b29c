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

// Tells the other processes of this one, and ends its waiting when the run cannot go on: whoever
// sees first why writes it to the store, and all throw RankLost with these same words. A thread
// tells and reads, a round each beat: one key written and one read where nothing is wrong, and
// those of the process that is waited for. A second one, which calls nobody, is there for the case
// that the store itself does not answer, and looks whether this process is asked to end.
class Watchdog {
 public:
  static std::shared_ptr<Watchdog> begin(StatusStore store, const Rendezvous& meeting,
                                         ProcessHooks hooks, std::chrono::milliseconds patience);
  // Announces its exit; process 0, where it keeps the store, leaves last, unless somebody takes
  // very long. To be called once; a thread that the store keeps waiting is left to itself then.
  void leave();

  // Returns when all processes have come.
  void awaitAll();
  // Returns once `done` says so; it must not take a lock for long.
  void awaitConnection(const std::function<bool()>& done);
  void joined();

  void enter(std::string step);
  void refuse(std::string why);
  void setRanksPerProcess(int ranks);
  // Why the run cannot go on, once that is known.
  std::optional<std::string> ended();

  // A time of waiting. The main thread's, one at a time.
  class Exchange {
   public:
    Exchange(Watchdog& watch, const Purpose& purpose);
    ~Exchange();
    Exchange(const Exchange&) = delete;
    Exchange& operator=(const Exchange&) = delete;

    Position position() const { return position_; }
    // From now on these may be called off.
    void awaits(const std::vector<Pending>& pending);
    // Something else brings the others' parts. Each process looks after the next one, so that all
    // are looked after; if that one is `met`, it must not go on before this one does.
    void awaitsNext(bool met);
    // Which one is waited for now.
    void at(std::size_t index) { watch_.at_.store(index, std::memory_order_relaxed); }
    // The wait for that one was called off, or its link broke: says why.
    [[noreturn]] void fail(const Message& message, bool incoming, const std::string& reason);
    // The others' parts will not come; it may be known why, or soon be.
    [[noreturn]] void fail(const std::string& reason);

   private:
    Watchdog& watch_;
    Position position_;
    const Purpose* outer_;  // of an exchange in the middle of which this one is
  };

 private:
  struct Awaited {
    MessageInfo message;
    bool met = true;  // else the other has no part in it, and may be further
  };
  struct Break {
    MessageInfo message;
    std::string reason;
  };
  // What one round of telling begins with.
  struct Round {
    Heartbeat heartbeat;
    std::optional<Awaited> awaited;
    std::optional<RunFailure> claim;
    std::optional<Break> broken;
    bool joining = false, leaving = false;
  };

  Watchdog(StatusStore store, const Rendezvous& meeting, ProcessHooks hooks,
           std::chrono::milliseconds patience);

  void heartbeatLoop();
  Round beginRound(bool beat);
  Heartbeat heartbeatOf(int process, const Heartbeat& mine);
  std::optional<RunFailure> look(const Round& round, bool beat);
  std::optional<RunFailure> lookAtJoining(bool beat);
  bool endRound(const std::optional<RunFailure>& failure);  // whether a whole beat has passed then
  void announceExit();
  void settle(const RunFailure& failure);  // with the lock held

  void alarmLoop();
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
  std::optional<RunFailure> failure_, claim_;
  std::optional<Break> broken_;
  int present_ = 0;
  bool joining_ = true, leaving_ = false, told_ = false, wake_ = false;
  int ticksWithoutRound_ = 0;  // of the alarm

  // The telling thread's own.
  struct Look {
    Position position;
    std::size_t at = 0;
    Stall stall;
    std::int64_t lastBeat = -1;
    bool warned = false;
  } look_;
  int shortRounds_ = 0;

  std::thread heartbeatThread_, alarmThread_;
};

}  // namespace shardlens
