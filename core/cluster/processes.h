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

// What messages are for. A message is received only by a process that exchanges for the same.
struct Purpose {
  static constexpr std::string_view kStrings = "words";
  // "all_reduce among ranks 0-3"; refers to the groups.
  static Purpose among(const char* collective, const GroupSet& groups);

  std::string_view kind;              // "all_reduce", or kStrings
  std::function<std::string()> text;  // for people; called by the watchdog's thread too
};

// A tensor that one rank sends to another, as the process of either of them sees it. Messages from
// one rank to another are received in the order in which they were sent.
struct Message {
  int sender;
  int receiver;
  int otherProcess;
  at::Tensor tensor;         // contiguous; both sides know its size
  bool ofProcesses = false;  // sender and receiver are processes, not ranks
};

// The processes of a run, connected to one another by c10d's Gloo. They join once, and then all
// make the same calls in the same order. When a process has died, is stopped, has failed or calls
// something else, every call that needs the others throws RankLost in all processes, within five
// seconds, with the same text. A process that is merely slow is waited for.
class Processes {
 public:
  // How long a process that is alive may keep the others waiting.
  static constexpr std::chrono::minutes kPatience{5};

  static Result<std::shared_ptr<Processes>> join(const Rendezvous& meeting, ProcessHooks hooks = {},
                                                 std::chrono::milliseconds patience = kPatience);
  ~Processes();
  // Takes leave of the others, who then wait for this process no more: it can do nothing with them
  // any longer. Where it has failed, `why` ends the run for all. The destructor leaves too.
  void leave(const std::string& why = {});
  Processes(const Processes&) = delete;
  Processes& operator=(const Processes&) = delete;

  int process() const { return meeting_.process; }
  int processes() const { return meeting_.processes; }

  // For the messages to people: the program's step, how many ranks each process hosts, and why this
  // process refuses the step. The refusal is shown where the other processes do not refuse too.
  void setStep(std::string step);
  void setRanksPerProcess(int ranks);
  void refuse(std::string why);
  // Why the run cannot go on, once a process has reported it: for loops that wait for other things.
  std::optional<std::string> ended() const;

  // Sends and receives all messages; calls `meanwhile` after it has begun.
  void exchange(const Purpose& purpose, std::vector<Message> outgoing,
                std::vector<Message> incoming, const std::function<void()>& meanwhile);
  // Calls `transfer`, which moves data among processes by other means (NCCL) and must return soon
  // after ended() has a value. `nextTakesPart`: whether the next higher process takes part in it.
  void runCollective(const Purpose& purpose, bool nextTakesPart,
                     const std::function<void()>& transfer);
  // Every process's string, to all of them, in the order of the processes. `about` has to be the
  // same in all.
  std::vector<std::string> allGatherStrings(const std::string& about, const std::string& mine);
  // The same, to process 0 alone; the others get an empty list.
  std::vector<std::string> gatherStrings(const std::string& about, const std::string& mine);

 private:
  struct Links;  // c10d's part
  enum class Receivers { All, First };

  Processes(const Rendezvous& meeting, std::unique_ptr<Links> links);
  void expectPresent() const;
  bool receives(Receivers receivers, int process) const {
    return receivers == Receivers::All || process == 0;
  }
  std::vector<std::string> allGatherStrings(const std::string& about, const std::string& mine,
                                            Receivers receivers);
  // From every process to all others that receive; undefined tensors are not sent.
  void exchangeAmong(Receivers receivers, const Purpose& purpose, const at::Tensor& said,
                     const std::vector<at::Tensor>& heard);

  Rendezvous meeting_;
  std::unique_ptr<Links> links_;
};

// What an exception of c10d says, in one line.
std::string reasonOf(const std::exception& e);

}  // namespace shardlens
