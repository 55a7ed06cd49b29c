#pragma once

#include "core/base/result.h"
#include "core/comm/estimated.h"
#include "core/model/modes.h"

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace shardlens {

class Processes;
class NcclGpus;
struct ProcessHooks;

// The transport of a run's collectives. Variants:
// - simulated: this process hosts all ranks;
// - gloo: processes connected by Gloo, each with an equal share of the ranks;
// - nccl: GPUs connected by NCCL, all in this process or one per process;
// - dry: no data, see dry();
// - a transport of the client, see of().
//
// All processes must make the same calls in the same order. Functions that involve all processes
// throw RankLost if one is missing. Copies share the connection.
class Backend {
 public:
  Backend() = default;  // simulated
  // Returns the backend called "nccl", "gloo" or "simulated". An empty name selects one:
  // - simulated if no launcher started this process;
  // - launched as the only process: NCCL if it has a usable GPU, else simulated;
  // - launched as one of several: NCCL if every process has a usable GPU, else Gloo.
  // Calls hooks.warn if there are GPUs that cannot be used. Any other name counts as empty. Throws
  // RankLost as gloo().
  static Result<Backend> named(const std::string& name, ProcessHooks hooks);
  // Returns a backend whose communicators `connect` creates. All ranks are in this process.
  using Connect = std::function<std::unique_ptr<Communicator>(int ranks)>;
  // Its transport() is Simulated.
  static Backend of(Connect connect);
  // Returns a backend without data and peers. It hosts the first rank only and estimates the
  // duration of collectives by `costs`.
  static Backend dry(const CostModel& costs);
  // Joins the processes that torchrun or another launcher started, described by its environment
  // variables. Blocks until all have joined. Returns an error for invalid variables; throws
  // RankLost if the processes do not connect. Silences c10d's log for this process.
  static Result<Backend> gloo(ProcessHooks hooks);
  // Uses the GPUs of this machine; if launched by torchrun, one per process. Returns an error in
  // all processes if one of them cannot use its GPU. Throws RankLost as gloo().
  static Result<Backend> nccl(ProcessHooks hooks);

  Transport transport() const;
  // Returns "simulated", "gloo", "nccl" or "dry".
  std::string_view name() const { return transportName(transport()); }
  bool isDry() const { return dry_ != nullptr; }
  // Returns the estimated duration of the dry run's collectives so far. Requires isDry(). Copies of
  // the backend and their communicators add to it.
  EstimatedTime estimated() const;
  // Returns true if processes were joined, even if there is only one.
  bool hasProcesses() const { return processes_ != nullptr; }
  int processes() const;  // 1 if none were joined
  // Returns true in the process of rank 0, which prints results for all.
  bool leads() const;
  // Returns an error if the processes cannot share `ranks` ranks evenly, or if one would host more
  // than 65,536.
  Result<void> verify(int ranks) const;
  // Returns the lowest rank that this process hosts, of `ranks` in total.
  int firstRank(int ranks) const;
  // Creates a communicator for `ranks` ranks. Requires verify(ranks).
  std::unique_ptr<Communicator> communicator(int ranks) const;

  // Disconnects from the other processes for good; see Processes::leave(). If `why` is not empty,
  // the run fails in all processes. Does nothing without joined processes.
  void leave(const std::string& why = {}) const;
  // Sets the name of the current step, which appears in the error messages of other processes.
  void setStep(const std::string& step) const;
  // All-gathers `words`, in the order of the processes. Throws RankLost if `about` differs between
  // processes. Without joined processes, returns `words` alone.
  std::vector<std::string> allGatherStrings(const std::string& about,
                                            const std::string& words) const;
  // As allGatherStrings(), but only the leading process receives the strings; others get an empty
  // list.
  std::vector<std::string> gatherStrings(const std::string& about, const std::string& words) const;
  // Returns the first error, in process order, of all processes' `mine`, so that all continue or
  // all stop. Throws RankLost if other processes are in another call; if this process has an error,
  // the exception's text names it.
  Result<void> agree(const std::string& about, Result<void> mine) const;

 private:
  explicit Backend(std::shared_ptr<Processes> processes) : processes_(std::move(processes)) {}
  // Returns the backend of an empty name for a process that is not one of several.
  static Result<Backend> alone(ProcessHooks hooks);
  // Sets gpus_ if all processes can use their GPU, else returns the error in all of them.
  Result<void> takeGpus();
  // Returns true if any process's machine has GPUs, usable or not.
  bool haveGpus() const;

  std::shared_ptr<Processes> processes_;        // null unless joined
  std::shared_ptr<NcclGpus> gpus_;              // null unless NCCL is used
  std::shared_ptr<const DryCommunicator> dry_;  // null unless dry
  Connect connect_;                             // empty unless made by of()
};

}  // namespace shardlens
