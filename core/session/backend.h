#pragma once

#include "core/base/result.h"
#include "core/comm/estimated.h"

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace shardlens {

class Processes;
class NcclGpus;
struct ProcessHooks;

// What carries the collectives of a run: this process alone, which simulates all ranks; processes
// that Gloo connects, each with an equal share of them; or GPUs that NCCL connects, all of one
// process or one of each. All processes do the same in the same order; what takes all of them
// throws RankLost where one is missing.
class Backend {
 public:
  Backend() = default;  // simulated
  // Of this name; what there is where it is empty: in processes that were launched the GPUs, where
  // each has one, or else Gloo, with a warning where there are GPUs that cannot be used; and
  // simulated ranks in a process of its own.
  static Result<Backend> named(const std::string& name, ProcessHooks hooks);
  // Ranks that somebody else connects, all of them in this process.
  using Connect = std::function<std::unique_ptr<Communicator>(int ranks)>;
  static Backend of(Connect connect);
  // A run without data and without anybody at the other end, which tells of the first rank and
  // estimates what collectives take.
  static Backend dry(const CostModel& costs);
  // Joins the processes that torchrun started, or somebody who sets the same variables. Refuses
  // what these say; throws RankLost where the processes do not come together.
  static Result<Backend> gloo(ProcessHooks hooks);
  // Takes the GPUs of this machine; of the processes that torchrun started, where it did, each
  // takes one. Says what is missing where ranks cannot run on them.
  static Result<Backend> nccl(ProcessHooks hooks);

  std::string_view name() const;
  bool isDry() const { return dry_ != nullptr; }
  // How long a dry run's collectives would have taken so far.
  EstimatedTime estimated() const;
  // Whether processes share the ranks, and be it one.
  bool hasProcesses() const { return processes_ != nullptr; }
  int processes() const;
  // Whether this is the process of rank 0, which speaks for all.
  bool leads() const;
  // Refuses so many ranks where the processes cannot share them evenly, or one would have too many.
  Result<void> verify(int ranks) const;
  // The lowest of so many ranks that this process hosts.
  int firstRank(int ranks) const;
  std::unique_ptr<Communicator> communicator(int ranks) const;

  // Takes leave of the other processes, for good; see Processes.
  void leave(const std::string& why = {}) const;
  // What the program is at, for the others to name.
  void setStep(const std::string& step) const;
  // What every process says, in the order of their ranks. What it is about is the same for all, or
  // they do not do the same.
  std::vector<std::string> allGatherStrings(const std::string& about,
                                            const std::string& words) const;
  // The same to the process that leads; the others get nothing.
  std::vector<std::string> gatherStrings(const std::string& about, const std::string& words) const;
  // Refused by one, refused by all: the refusal of the first process that has one. Where the others
  // are still in the middle of it, all are lost, by this process's failure; where they cannot be
  // asked, the loss names it.
  Result<void> agree(const std::string& about, Result<void> mine) const;

 private:
  explicit Backend(std::shared_ptr<Processes> processes) : processes_(std::move(processes)) {}
  // Taken by all processes, or by none.
  Result<void> takeGpus();
  // Whether any process's machine has some, usable or not.
  bool haveGpus() const;

  std::shared_ptr<Processes> processes_;        // none where this is the only one
  std::shared_ptr<NcclGpus> gpus_;              // none where ranks are on processors
  std::shared_ptr<const DryCommunicator> dry_;  // of a run without data
  Connect connect_;                             // of somebody else's ranks
};

}  // namespace shardlens
