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

// What messages are for. Those of one end meet those of the other only where it is the same.
struct Purpose {
  static constexpr std::string_view kStrings = "words";
  // "all_reduce among ranks 0-3"; looks at the groups as long as it is used.
  static Purpose among(const char* collective, const GroupSet& groups);

  std::string_view kind;              // "all_reduce", or kStrings
  std::function<std::string()> text;  // for people; asked for by another thread
};

// What one rank has for another, seen from the process of one of them. Of the messages from a rank
// to another the first sent is the first received.
struct Message {
  int sender;
  int receiver;
  int otherProcess;
  at::Tensor tensor;         // contiguous; both sides know its size
  bool ofProcesses = false;  // sender and receiver are processes, which have something to say
};

// The processes of a run, connected to one another by c10d's Gloo. They join once, and whatever
// they do then is done by all of them, in the same order. When that cannot go on, because one has
// died, is stopped, has failed, or does something else, whatever takes others throws RankLost in
// all of them, within five seconds, with the same words; a process that merely takes its time is
// waited for.
class Processes {
 public:
  // A process is late, and takes its time, up to this.
  static constexpr std::chrono::minutes kPatience{5};

  static Result<std::shared_ptr<Processes>> join(const Rendezvous& meeting, ProcessHooks hooks = {},
                                                 std::chrono::milliseconds patience = kPatience);
  ~Processes();
  Processes(const Processes&) = delete;
  Processes& operator=(const Processes&) = delete;

  int process() const { return meeting_.process; }
  int processes() const { return meeting_.processes; }

  // For people: what the program is at, how many ranks each process hosts, and why this process
  // does not go on with its step. The last one is told where the others do not refuse it too.
  void enter(std::string step);
  void setRanksPerProcess(int ranks);
  void refuse(std::string why);
  // Why the run cannot go on, once somebody has said so: for waits of other kinds.
  std::optional<std::string> ended() const;

  // Returns when all has arrived; does something else meanwhile.
  void exchange(const Purpose& purpose, std::vector<Message> outgoing,
                std::vector<Message> incoming, const std::function<void()>& meanwhile);
  // `carry` brings what others have for this process in its own way, which ends once ended() says
  // why. `nextHasPart`: among those others is the process after this one.
  void meet(const Purpose& purpose, bool nextHasPart, const std::function<void()>& carry);
  // What every process says, to all of them, in their order. They have to speak of the same.
  std::vector<std::string> allGatherStrings(const std::string& about, const std::string& words);
  // The same to process 0 alone; the others get nothing.
  std::vector<std::string> gatherWords(const std::string& about, const std::string& words);

 private:
  struct Links;  // c10d's part
  enum class Hearers { All, First };

  Processes(const Rendezvous& meeting, std::unique_ptr<Links> links);
  bool hears(Hearers hearers, int process) const { return hearers == Hearers::All || process == 0; }
  std::vector<std::string> allGatherStrings(const std::string& about, const std::string& words,
                                            Hearers hearers);
  // From every process to all others that hear; what is undefined is not sent.
  void exchangeAmong(Hearers hearers, const Purpose& purpose, const at::Tensor& said,
                     const std::vector<at::Tensor>& heard);

  Rendezvous meeting_;
  std::unique_ptr<Links> links_;
};

// What an exception of c10d says, in one line.
std::string reasonOf(const std::exception& e);

}  // namespace shardlens
