#pragma once

#include "tests/comm/nccl/fake_gpus.h"
#include "tests/comm/nccl/fake_reduce.h"

#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <set>
#include <utility>

namespace shardlens {

// The state that the fakes of NCCL and CUDA share.
namespace fake {

// Returns true once it is done; called again until then.
using Task = std::function<bool()>;

struct Stream {
  int device = 0;
  std::deque<Task> tasks;
};

struct Event {
  std::shared_ptr<bool> done = {};  // of the last cudaEventRecord; null before
  int device = 0;
};

struct Operation {
  std::string kind;
  const void* send = nullptr;
  void* receive = nullptr;
  std::size_t items = 0;
  ncclDataType_t type = ncclUint8;
  ncclRedOp_t op = ncclSum;
  int root = -1;
  int peer = -1;
  std::shared_ptr<bool> done = std::make_shared<bool>(false);

  std::size_t bytes() const { return items * fakeSizeOf(type); }
  // Describes the operation; must be equal on all members.
  std::string text() const {
    return kind + ": " + std::to_string(items) + " " + fakeTypeName(type) +
           (kind.find("educe") == std::string::npos ? "" : " " + fakeOpName(op)) +
           (root < 0 ? "" : " root " + std::to_string(root));
  }
};

struct Communicator;

// What the members of one communicator share.
struct Clique {
  std::vector<int> ncclRanks;  // the members' ranks in the first communicator
  std::vector<Communicator*> members;
  bool isSettled = false;                             // all members have joined
  std::vector<std::map<int, Operation>> collectives;  // in order; each by member
  std::map<std::pair<int, int>, std::deque<Operation>> sent, received;
  struct Split {
    struct Share {
      int colour;
      int key;
      bool blocking;
      ncclComm_t* made;
    };
    std::map<int, Share> shares;  // by member
  };
  std::vector<Split> splits;
  std::map<std::string, std::set<int>> connected;  // members that have arrived, by kind of call

  std::string name() const {
    std::string text = "{";
    for (const int ncclRank : ncclRanks)
      text += (text.size() == 1 ? "" : ",") + std::to_string(ncclRank);
    return text + "}";
  }
};

struct Communicator {
  std::shared_ptr<Clique> clique;
  int rank = 0;
  int device = 0;
  bool isBlocking = false;
  ncclResult_t state = ncclInProgress;
  std::size_t nextCollective = 0;
  std::size_t nextSplit = 0;
  int polls = 0;  // number of queries that still report ncclInProgress
};

inline std::string labelOf(const Communicator& comm) {
  return comm.clique->name() + " " + std::to_string(comm.rank) + " of " +
         std::to_string(comm.clique->ncclRanks.size());
}

inline Communicator& known(ncclComm_t comm) { return *reinterpret_cast<Communicator*>(comm); }

struct Group {
  int depth = 0;
  bool isBlocking = true;  // false: with a call on a non-blocking communicator
  std::vector<std::function<void()>> ends;
  std::map<std::pair<Communicator*, Stream*>, std::vector<Operation>> operations;
  std::vector<std::pair<Communicator*, Stream*>> order;
};

}  // namespace fake

struct FakeGpus::State {
  mutable std::recursive_mutex mutex;
  std::condition_variable_any changed;  // a member has arrived, or a communicator was aborted
  Running running = Running::WhenLookedAt;
  bool held = false;
  std::vector<fake::Stream> defaults;
  std::deque<fake::Stream> computing;  // from streamOn()
  std::set<fake::Stream*> streams;
  std::set<fake::Event*> events;
  std::set<void*> memory;
  std::set<fake::Communicator*> comms;
  std::map<std::string, std::shared_ptr<fake::Clique>> cliques;  // by unique id
  std::vector<double> factors;                                   // of premul_sums
  std::set<int> liveFactors;
  std::vector<std::string> calls, problems;
  std::map<int, ncclResult_t> initFailures;
  int operations = 0;
  int launches = 0;
  std::map<std::string, int> cudaCalls;  // number of calls, by function
  int failAt = -1;
  int failingRank = -1;
  ncclResult_t failure = ncclSuccess;
  int ids = 0;

  void call(const std::string& text) { calls.push_back(text); }
  void expect(bool held, const std::string& rule) {
    if (!held) problems.push_back(rule);
  }
  bool hasFailed() const { return failAt >= 0 && operations >= failAt; }

  bool step(fake::Stream& stream) {
    bool moved = false;
    while (!stream.tasks.empty() && stream.tasks.front()()) {
      stream.tasks.pop_front();
      moved = true;
    }
    return moved;
  }

  bool communicate() {
    bool moved = false;
    for (auto* stream : streams) moved = (!held && step(*stream)) || moved;
    return moved;
  }
  // Runs the streams of communication before each other kind of stream. So a missing wait for
  // computation shows as a wrong result.
  void progress() {
    for (bool moved = true; moved;) {
      moved = communicate();
      for (auto& stream : defaults) moved = step(stream) || moved;
      moved = communicate() || moved;
      for (auto& stream : computing) moved = step(stream) || moved;
    }
  }
  void launch(fake::Stream& stream, std::function<void()> kernel) {
    ++launches;
    enqueue(stream, [kernel = std::move(kernel)] {
      kernel();
      return true;
    });
  }
  void enqueue(fake::Stream& stream, fake::Task task) {
    stream.tasks.push_back(std::move(task));
    if (running == Running::Eagerly) progress();
  }
};

namespace fake {

inline FakeGpus::State* current = nullptr;
inline thread_local int device = 0;
inline thread_local Group group;

using Lock = std::lock_guard<std::recursive_mutex>;

inline Stream& streamOf(cudaStream_t stream) {
  return stream == nullptr ? current->defaults[static_cast<std::size_t>(device)]
                           : *reinterpret_cast<Stream*>(stream);
}

NcclApi nccl();
CudaApi cuda();

}  // namespace fake
}  // namespace shardlens
