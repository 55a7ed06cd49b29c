#pragma once

#include "core/base/rank_lost.h"
#include "core/cluster/process_hooks.h"
#include "core/cluster/rendezvous.h"
#include "core/model/group_set.h"

#include <ATen/core/Tensor.h>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shardlens {

// The purpose of messages. A message is received only by a process that exchanges for the same
// purpose.
struct Purpose {
  static constexpr std::string_view kStrings = "words";
  // Returns "all_reduce among ranks 0-3" as text. Keeps a reference to `groups`.
  static Purpose among(const char* collective, const GroupSet& groups);

  std::string_view kind;              // "all_reduce", or kStrings
  std::function<std::string()> text;  // shown to users; also called on the watchdog's thread
};

// A tensor that one rank sends to another, as seen by the process of either. Messages between two
// ranks are received in the order in which they were sent. A posted message retains the tensor.
struct Message {
  int sender;
  int receiver;
  int otherProcess;
  at::Tensor tensor;         // contiguous; both ends know its size
  bool ofProcesses = false;  // sender and receiver are processes, not ranks
};

// The processes of a run, connected by c10d's Gloo. They join once and then make the same calls in
// the same order, one at a time. If a process dies, is stopped, fails or makes another call, all
// processes throw RankLost with the same text, within five seconds, from calls that need the
// others. A slow process is waited for, up to the `patience` given to join(). Calls come from one
// thread at a time; ended() is thread-safe.
class Processes {
 public:
  // The default limit for waiting for a process that is alive.
  static constexpr std::chrono::minutes kPatience{5};

  // Connects this process to the others. Collective. Returns an error if a process is missing after
  // `patience`, fails, or is interrupted. Ignores SIGPIPE from now on, unless a handler is set.
  static Result<std::shared_ptr<Processes>> join(const Rendezvous& meeting, ProcessHooks hooks = {},
                                                 std::chrono::milliseconds patience = kPatience);
  ~Processes();
  // Disconnects. Other processes no longer wait for this one, and every later call on this object
  // that needs them throws RankLost. If this process has failed, `why` ends the run in all
  // processes. The destructor leaves too; a second call does nothing. May block for 2 s; in process
  // 0, which serves the store, for 12 s until the others have left.
  void leave(const std::string& why = {});
  Processes(const Processes&) = delete;
  Processes& operator=(const Processes&) = delete;

  int process() const { return meeting_.process; }
  int processes() const { return meeting_.processes; }

  // Facts for error messages: the program's step, the number of ranks per process, and why this
  // process refuses the step. The refusal is reported if the other processes do not refuse the step
  // too. setStep() clears it.
  void setStep(std::string step);
  void setRanksPerProcess(int ranks);
  void refuse(std::string why);
  // Returns why the run has ended, once any process has reported that, else nullopt. For loops that
  // wait for something else. Thread-safe.
  std::optional<std::string> ended() const;

  // Posts all messages, then calls `meanwhile` (required), and blocks until all messages are
  // complete. Collective: the peers post the matching messages. Throws RankLost if the run has
  // ended or a message fails.
  void exchange(const Purpose& purpose, std::vector<Message> outgoing,
                std::vector<Message> incoming, const std::function<void()>& meanwhile);
  // Calls `transfer`, which moves data between processes by other means (NCCL) and must return soon
  // after ended() has a value. An exception of `transfer` ends the run and becomes RankLost.
  // `nextTakesPart`: whether the next higher process takes part in the transfer.
  void runCollective(const Purpose& purpose, bool nextTakesPart,
                     const std::function<void()>& transfer);
  // Returns the strings of all processes, in process order. Collective. `about` names the topic and
  // must be equal in all processes; otherwise throws RankLost. Strings may have up to 1 GiB.
  std::vector<std::string> allGatherStrings(const std::string& about, const std::string& mine);
  // As allGatherStrings(), but only process 0 receives the strings. The others return an empty
  // list.
  std::vector<std::string> gatherStrings(const std::string& about, const std::string& mine);

 private:
  struct Links;  // the c10d objects
  enum class Receivers { All, First };

  Processes(const Rendezvous& meeting, std::unique_ptr<Links> links);
  void expectPresent() const;
  bool receives(Receivers receivers, int process) const {
    return receivers == Receivers::All || process == 0;
  }
  std::vector<std::string> allGatherStrings(const std::string& about, const std::string& mine,
                                            Receivers receivers);
  // Sends a tensor from every process to all others that receive. Undefined tensors are not sent.
  void exchangeAmong(Receivers receivers, const Purpose& purpose, const at::Tensor& sent,
                     const std::vector<at::Tensor>& received);

  Rendezvous meeting_;
  std::unique_ptr<Links> links_;
};

// Returns the message of a c10d exception in one line, without source location and advice.
std::string reasonOf(const std::exception& e);

}  // namespace shardlens
