#include "tests/comm/nccl/fake_gpus.h"

#include "tests/comm/nccl/fake_reduce.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <numeric>
#include <set>

namespace shardlens {
namespace {

// Says whether it is done; asked again until it is.
using Task = std::function<bool()>;

struct Stream {
  int device = 0;
  std::deque<Task> tasks;
};

struct Event {
  std::shared_ptr<bool> done;  // of the last record
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
  // What all members have to agree on.
  std::string text() const {
    return kind + ": " + std::to_string(items) + " " + fakeTypeName(type) +
           (kind.find("educe") == std::string::npos ? "" : " " + fakeOpName(op)) +
           (root < 0 ? "" : " root " + std::to_string(root));
  }
};

struct Communicator;

// The members of one communicator, and what they have come to.
struct Circle {
  std::vector<int> seats;  // of the members, in the first communicator
  std::vector<Communicator*> members;
  std::vector<std::map<int, Operation>> collectives;  // by member
  std::map<std::pair<int, int>, std::deque<Operation>> sent, received;
  struct Split {
    std::map<int, std::tuple<int, int, ncclComm_t*>> shares;  // by member
  };
  std::vector<Split> splits;

  std::string name() const {
    std::string text = "{";
    for (const int seat : seats) text += (text.size() == 1 ? "" : ",") + std::to_string(seat);
    return text + "}";
  }
};

struct Communicator {
  std::shared_ptr<Circle> circle;
  int rank = 0;
  int device = 0;
  ncclResult_t state = ncclInProgress;
  std::size_t nextCollective = 0;
  std::size_t nextSplit = 0;
  int polls = 0;  // still in progress when asked so often
};

std::string labelOf(const Communicator& comm) {
  return comm.circle->name() + " " + std::to_string(comm.rank) + " of " +
         std::to_string(comm.circle->seats.size());
}

Communicator& known(ncclComm_t comm) { return *reinterpret_cast<Communicator*>(comm); }

struct Group {
  int depth = 0;
  std::vector<std::function<void()>> ends;
  std::map<std::pair<Communicator*, Stream*>, std::vector<Operation>> operations;
  std::vector<std::pair<Communicator*, Stream*>> order;
};

}  // namespace

struct FakeGpus::State {
  mutable std::recursive_mutex mutex;
  Running running = Running::WhenLookedAt;
  std::vector<Stream> defaults;
  std::set<Stream*> streams;
  std::set<Event*> events;
  std::set<void*> memory;
  std::set<Communicator*> comms;
  std::map<std::string, std::shared_ptr<Circle>> circles;  // by unique id
  std::vector<double> factors;                             // of premul_sums
  std::set<int> liveFactors;
  std::vector<std::string> calls, problems;
  std::map<int, ncclResult_t> initFailures;
  int operations = 0;
  int failAt = -1;
  int failingRank = -1;
  ncclResult_t failure = ncclSuccess;
  int ids = 0;

  void call(const std::string& text) { calls.push_back(text); }
  void expect(bool held, const std::string& rule) {
    if (!held) problems.push_back(rule);
  }
  bool hasFailed() const { return failAt >= 0 && operations >= failAt; }

  bool step(Stream& stream) {
    bool moved = false;
    while (!stream.tasks.empty() && stream.tasks.front()()) {
      stream.tasks.pop_front();
      moved = true;
    }
    return moved;
  }

  // Those of communication first: what they were not told to wait for has not happened.
  void progress() {
    for (bool moved = true; moved;) {
      moved = false;
      for (auto* stream : streams) moved = step(*stream) || moved;
      for (auto& stream : defaults) moved = step(stream) || moved;
    }
  }
  void enqueue(Stream& stream, Task task) {
    stream.tasks.push_back(std::move(task));
    if (running == Running::Eagerly) progress();
  }
};

namespace {

FakeGpus::State* current = nullptr;
thread_local int device = 0;
thread_local Group group;

using Lock = std::lock_guard<std::recursive_mutex>;

Stream& streamOf(cudaStream_t stream) {
  return stream == nullptr ? current->defaults[static_cast<std::size_t>(device)]
                           : *reinterpret_cast<Stream*>(stream);
}

// ---- NCCL's operations

void finish(Circle& circle, std::map<int, Operation>& members) {
  const auto& first = members.begin()->second;
  for (const auto& [rank, operation] : members) {
    if (operation.text() == first.text()) continue;
    current->problems.push_back("members call " + first.text() + " and " + operation.text());
    return;
  }
  std::vector<std::vector<char>> results(members.size());
  const std::size_t bytes = first.bytes();
  const auto resultAt = [&](std::size_t rank) -> std::vector<char>& { return results[rank]; };
  if (first.kind == "ncclBroadcast") {
    const auto* from = static_cast<const char*>(members.at(first.root).send);
    for (auto& result : results) result.assign(from, from + bytes);
  } else if (first.kind == "ncclAllGather") {
    for (auto& result : results) {
      for (const auto& [rank, member] : members) {
        const auto* from = static_cast<const char*>(member.send);
        result.insert(result.end(), from, from + bytes);
      }
    }
  } else {
    const std::size_t pieces = first.kind == "ncclReduceScatter" ? members.size() : 1;
    std::vector<FakeTerm> terms;
    for (const auto& [rank, member] : members) {
      const bool scaled = member.op >= ncclNumOps;
      terms.push_back(
          {member.send,
           scaled ? current->factors[static_cast<std::size_t>(member.op - ncclNumOps)] : 1.0});
    }
    const auto whole = fakeReduce(terms, first.items * pieces, first.type, first.op);
    for (std::size_t rank = 0; rank < members.size(); ++rank) {
      const auto begin = whole.begin() + static_cast<std::ptrdiff_t>(pieces > 1 ? rank * bytes : 0);
      if (first.root < 0 || static_cast<int>(rank) == first.root) {
        resultAt(rank).assign(begin, begin + static_cast<std::ptrdiff_t>(bytes));
      }
    }
  }
  std::map<char*, std::size_t> written;
  for (auto& [rank, member] : members) {
    const auto& result = resultAt(static_cast<std::size_t>(rank));
    auto* to = static_cast<char*>(member.receive);
    if (!result.empty()) {
      const bool reduces = first.kind.find("educe") != std::string::npos;
      current->expect(!reduces || written.try_emplace(to, result.size()).second,
                      "two members of " + circle.name() + " receive in one place");
      std::memcpy(to, result.data(), result.size());
    }
    *member.done = true;
  }
}

void meet(Circle& circle, std::pair<int, int> way) {
  auto& sent = circle.sent[way];
  auto& received = circle.received[way];
  while (!sent.empty() && !received.empty()) {
    current->expect(sent.front().bytes() == received.front().bytes(),
                    "a message of " + std::to_string(sent.front().bytes()) +
                        " bytes is received as " + std::to_string(received.front().bytes()));
    std::memcpy(received.front().receive, sent.front().send,
                std::min(sent.front().bytes(), received.front().bytes()));
    *sent.front().done = *received.front().done = true;
    sent.pop_front();
    received.pop_front();
  }
}

void post(Communicator& comm, const Operation& operation) {
  Circle& circle = *comm.circle;
  if (operation.kind == "ncclSend" || operation.kind == "ncclRecv") {
    const bool sends = operation.kind == "ncclSend";
    const std::pair<int, int> way =
        sends ? std::pair(comm.rank, operation.peer) : std::pair(operation.peer, comm.rank);
    (sends ? circle.sent : circle.received)[way].push_back(operation);
    return meet(circle, way);
  }
  if (comm.nextCollective == circle.collectives.size()) circle.collectives.emplace_back();
  auto& members = circle.collectives[comm.nextCollective++];
  members.emplace(comm.rank, operation);
  if (members.size() == circle.seats.size()) finish(circle, members);
}

ncclResult_t add(ncclComm_t handle, cudaStream_t stream, const Operation& operation) {
  const Lock lock(current->mutex);
  auto& comm = known(handle);
  auto& queue = streamOf(stream);
  const bool isMessage = operation.peer >= 0;
  const auto size = operation.text().substr(operation.kind.size());
  current->call(operation.kind + " " + labelOf(comm) + size +
                (isMessage ? " peer " + std::to_string(operation.peer) : ""));
  current->expect(current->comms.contains(&comm),
                  operation.kind + " on a communicator that is gone");
  current->expect(group.depth > 0, operation.kind + " outside a group");
  current->expect(comm.state == ncclSuccess && comm.polls == 0,
                  operation.kind + " while its communicator is busy");
  current->expect(queue.device == comm.device, operation.kind + " on another device's stream");
  const std::pair key(&comm, &queue);
  if (!group.operations.contains(key)) group.order.push_back(key);
  group.operations[key].push_back(operation);
  return ncclSuccess;
}

// ---- communicators

void settle(const std::shared_ptr<Circle>& circle) {
  if (circle->members.size() != circle->seats.size()) return;
  for (auto* member : circle->members) {
    const auto failure = current->initFailures.find(member->rank);
    member->state = failure == current->initFailures.end() ? ncclSuccess : failure->second;
  }
}

ncclResult_t initRank(ncclComm_t* made, int count, ncclUniqueId id, int rank,
                      ncclConfig_t* config) {
  const Lock lock(current->mutex);
  current->call("ncclCommInitRankConfig " + std::to_string(rank) + " of " + std::to_string(count) +
                " on " + std::to_string(device));
  current->expect(config->blocking == 0, "a communicator that blocks");
  current->expect(group.depth > 0, "ncclCommInitRankConfig outside a group");
  auto* comm = new Communicator;
  current->comms.insert(comm);
  auto& circle = current->circles[id.internal];
  if (!circle) {
    circle = std::make_shared<Circle>();
    circle->seats.resize(static_cast<std::size_t>(count));
    std::iota(circle->seats.begin(), circle->seats.end(), 0);
  }
  comm->circle = circle;
  comm->rank = rank;
  comm->device = device;
  comm->polls = 2;
  *made = reinterpret_cast<ncclComm_t>(comm);
  const char* allowed = std::getenv("NCCL_MULTI_RANK_GPU_ENABLE");
  for (const auto* other : circle->members) {
    current->expect(other->device != device || (allowed != nullptr && *allowed == '1'),
                    "two ranks on one GPU");
  }
  circle->members.push_back(comm);
  group.ends.emplace_back([circle = circle] { settle(circle); });
  return ncclInProgress;
}

void makeChildren(Circle& parent, const Circle::Split& split) {
  std::map<int, std::map<int, int>> byColour;  // key -> member
  for (const auto& [member, share] : split.shares) {
    if (std::get<0>(share) != NCCL_SPLIT_NOCOLOR) {
      byColour[std::get<0>(share)][std::get<1>(share)] = member;
    }
  }
  for (const auto& [colour, keys] : byColour) {
    auto circle = std::make_shared<Circle>();
    for (const auto& [key, member] : keys) {
      circle->seats.push_back(parent.seats[static_cast<std::size_t>(member)]);
    }
    int rank = 0;
    for (const auto& [key, member] : keys) {
      auto* comm = new Communicator;
      current->comms.insert(comm);
      comm->circle = circle;
      comm->rank = rank++;
      const auto isMember = [member = member](const auto* each) { return each->rank == member; };
      comm->device =
          (*std::find_if(parent.members.begin(), parent.members.end(), isMember))->device;
      comm->polls = 1;
      comm->state = ncclSuccess;
      circle->members.push_back(comm);
      *std::get<2>(split.shares.at(member)) = reinterpret_cast<ncclComm_t>(comm);
    }
  }
  for (auto* member : parent.members) member->state = ncclSuccess;
}

ncclResult_t splitComm(ncclComm_t handle, int colour, int key, ncclComm_t* made, ncclConfig_t*) {
  const Lock lock(current->mutex);
  auto& comm = known(handle);
  current->call("ncclCommSplit " + labelOf(comm) + " colour " + std::to_string(colour) + " key " +
                std::to_string(key));
  current->expect(comm.state == ncclSuccess, "ncclCommSplit while its communicator is busy");
  current->expect(group.depth > 0, "ncclCommSplit outside a group");
  comm.state = ncclInProgress;
  comm.polls = 2;
  *made = nullptr;
  auto& circle = *comm.circle;
  if (comm.nextSplit == circle.splits.size()) circle.splits.emplace_back();
  auto& split = circle.splits[comm.nextSplit++];
  split.shares[comm.rank] = {colour, key, made};
  if (split.shares.size() == circle.seats.size()) {
    group.ends.emplace_back([&circle, split] { makeChildren(circle, split); });
  }
  return ncclInProgress;
}

ncclResult_t asyncError(ncclComm_t handle, ncclResult_t* state) {
  const Lock lock(current->mutex);
  auto& comm = known(handle);
  current->expect(current->comms.contains(&comm), "asking a communicator that is gone");
  if (comm.polls > 0) {
    --comm.polls;
    *state = ncclInProgress;
    return ncclSuccess;
  }
  const int seat = comm.circle->seats[static_cast<std::size_t>(comm.rank)];
  *state = current->hasFailed() && seat == current->failingRank ? current->failure : comm.state;
  return ncclSuccess;
}

ncclResult_t release(const char* name, ncclComm_t handle) {
  if (handle == nullptr) return ncclSuccess;
  const Lock lock(current->mutex);
  auto& comm = known(handle);
  if (current->comms.erase(&comm) == 0) {
    current->problems.push_back(std::string(name) + " of a communicator that is gone");
    return ncclInvalidArgument;
  }
  current->call(std::string(name) + " " + labelOf(comm));
  auto& members = comm.circle->members;
  members.erase(std::find(members.begin(), members.end(), &comm));
  delete &comm;
  return ncclSuccess;
}

ncclResult_t endGroup() {
  const Lock lock(current->mutex);
  current->call("ncclGroupEnd");
  current->expect(group.depth > 0, "ncclGroupEnd without ncclGroupStart");
  if (--group.depth > 0) return ncclSuccess;
  for (const auto& end : group.ends) end();
  group.ends.clear();
  for (const auto& key : group.order) {
    auto& [comm, stream] = key;
    comm->polls = 1;
    auto posted = std::make_shared<bool>(false);
    current->operations += static_cast<int>(group.operations.at(key).size());
    current->enqueue(*stream, [comm = comm, posted, operations = group.operations.at(key)] {
      if (current->hasFailed()) return false;
      if (!*posted) {
        *posted = true;
        for (const auto& operation : operations) post(*comm, operation);
      }
      return std::all_of(operations.begin(), operations.end(),
                         [](const Operation& operation) { return *operation.done; });
    });
  }
  group.order.clear();
  group.operations.clear();
  return ncclInProgress;
}

NcclApi fakeNccl() {
  NcclApi nccl;
  nccl.getVersion = [](int* version) {
    *version = NCCL_VERSION_CODE;
    return ncclSuccess;
  };
  nccl.getUniqueId = [](ncclUniqueId* id) {
    const Lock lock(current->mutex);
    const auto text = "circle " + std::to_string(++current->ids);
    std::strcpy(id->internal, text.c_str());
    return ncclSuccess;
  };
  nccl.commInitRankConfig = initRank;
  nccl.commSplit = splitComm;
  nccl.commFinalize = [](ncclComm_t handle) {
    const Lock lock(current->mutex);
    current->call("ncclCommFinalize " + labelOf(known(handle)));
    known(handle).polls = 1;
    return ncclInProgress;
  };
  nccl.commDestroy = [](ncclComm_t comm) { return release("ncclCommDestroy", comm); };
  nccl.commAbort = [](ncclComm_t comm) { return release("ncclCommAbort", comm); };
  nccl.commGetAsyncError = asyncError;
  nccl.getErrorString = [](ncclResult_t result) {
    return result == ncclRemoteError ? "remote process exited or there was a network error"
                                     : "unhandled system error";
  };
  nccl.getLastError = [](ncclComm_t) { return "the fake's last words"; };
  nccl.groupStart = [] {
    const Lock lock(current->mutex);
    current->call("ncclGroupStart");
    ++group.depth;
    return ncclSuccess;
  };
  nccl.groupEnd = endGroup;
  nccl.allReduce = [](const void* send, void* receive, std::size_t items, ncclDataType_t type,
                      ncclRedOp_t op, ncclComm_t comm, cudaStream_t stream) {
    return add(comm, stream, {"ncclAllReduce", send, receive, items, type, op});
  };
  nccl.reduce = [](const void* send, void* receive, std::size_t items, ncclDataType_t type,
                   ncclRedOp_t op, int root, ncclComm_t comm, cudaStream_t stream) {
    return add(comm, stream, {"ncclReduce", send, receive, items, type, op, root});
  };
  nccl.reduceScatter = [](const void* send, void* receive, std::size_t items, ncclDataType_t type,
                          ncclRedOp_t op, ncclComm_t comm, cudaStream_t stream) {
    return add(comm, stream, {"ncclReduceScatter", send, receive, items, type, op});
  };
  nccl.allGather = [](const void* send, void* receive, std::size_t items, ncclDataType_t type,
                      ncclComm_t comm, cudaStream_t stream) {
    return add(comm, stream, {"ncclAllGather", send, receive, items, type});
  };
  nccl.broadcast = [](const void* send, void* receive, std::size_t items, ncclDataType_t type,
                      int root, ncclComm_t comm, cudaStream_t stream) {
    return add(comm, stream, {"ncclBroadcast", send, receive, items, type, ncclSum, root});
  };
  nccl.send = [](const void* data, std::size_t items, ncclDataType_t type, int peer,
                 ncclComm_t comm, cudaStream_t stream) {
    return add(comm, stream, {"ncclSend", data, nullptr, items, type, ncclSum, -1, peer});
  };
  nccl.recv = [](void* data, std::size_t items, ncclDataType_t type, int peer, ncclComm_t comm,
                 cudaStream_t stream) {
    return add(comm, stream, {"ncclRecv", nullptr, data, items, type, ncclSum, -1, peer});
  };
  nccl.redOpCreatePreMulSum = [](ncclRedOp_t* op, void* scalar, ncclDataType_t type,
                                 ncclScalarResidence_t, ncclComm_t) {
    const Lock lock(current->mutex);
    *op = static_cast<ncclRedOp_t>(ncclNumOps + static_cast<int>(current->factors.size()));
    current->factors.push_back(fakeLoad(scalar, 0, type));
    current->liveFactors.insert(*op);
    return ncclSuccess;
  };
  nccl.redOpDestroy = [](ncclRedOp_t op, ncclComm_t) {
    const Lock lock(current->mutex);
    current->expect(current->liveFactors.erase(op) == 1, "an operation is destroyed twice");
    return ncclSuccess;
  };
  return nccl;
}

CudaApi fakeCuda() {
  CudaApi cuda;
  cuda.getDeviceCount = [](int* count) {
    *count = static_cast<int>(current->defaults.size());
    return cudaSuccess;
  };
  cuda.getDevice = [](int* now) {
    *now = device;
    return cudaSuccess;
  };
  cuda.setDevice = [](int next) {
    device = next;
    return cudaSuccess;
  };
  cuda.malloc = [](void** data, std::size_t bytes) {
    const Lock lock(current->mutex);
    *data = std::malloc(bytes);
    current->memory.insert(*data);
    return cudaSuccess;
  };
  cuda.free = [](void* data) {
    const Lock lock(current->mutex);
    current->expect(current->memory.erase(data) == 1, "memory is freed twice");
    std::free(data);
    return cudaSuccess;
  };
  cuda.memcpyAsync = [](void* to, const void* from, std::size_t bytes, cudaMemcpyKind,
                        cudaStream_t stream) {
    const Lock lock(current->mutex);
    current->enqueue(streamOf(stream), [=] {
      std::memcpy(to, from, bytes);
      return true;
    });
    return cudaSuccess;
  };
  cuda.streamCreateWithFlags = [](cudaStream_t* stream, unsigned) {
    const Lock lock(current->mutex);
    auto* made = new Stream{device, {}};
    current->streams.insert(made);
    *stream = reinterpret_cast<cudaStream_t>(made);
    return cudaSuccess;
  };
  cuda.streamDestroy = [](cudaStream_t stream) {
    const Lock lock(current->mutex);
    current->streams.erase(&streamOf(stream));
    delete &streamOf(stream);
    return cudaSuccess;
  };
  cuda.streamWaitEvent = [](cudaStream_t stream, cudaEvent_t event, unsigned) {
    const Lock lock(current->mutex);
    auto done = reinterpret_cast<Event*>(event)->done;
    current->enqueue(streamOf(stream), [done] { return !done || *done; });
    return cudaSuccess;
  };
  cuda.eventCreateWithFlags = [](cudaEvent_t* event, unsigned) {
    const Lock lock(current->mutex);
    auto* made = new Event;
    current->events.insert(made);
    *event = reinterpret_cast<cudaEvent_t>(made);
    return cudaSuccess;
  };
  cuda.eventDestroy = [](cudaEvent_t event) {
    const Lock lock(current->mutex);
    current->events.erase(reinterpret_cast<Event*>(event));
    delete reinterpret_cast<Event*>(event);
    return cudaSuccess;
  };
  cuda.eventRecord = [](cudaEvent_t event, cudaStream_t stream) {
    const Lock lock(current->mutex);
    auto& recorded = *reinterpret_cast<Event*>(event);
    recorded.done = std::make_shared<bool>(false);
    current->enqueue(streamOf(stream), [done = recorded.done] { return *done = true; });
    return cudaSuccess;
  };
  cuda.eventQuery = [](cudaEvent_t event) {
    const Lock lock(current->mutex);
    current->progress();
    const auto& done = reinterpret_cast<Event*>(event)->done;
    return !done || *done ? cudaSuccess : cudaErrorNotReady;
  };
  cuda.eventElapsedTime = [](float* milliseconds, cudaEvent_t, cudaEvent_t) {
    *milliseconds = 250;
    return cudaSuccess;
  };
  cuda.getErrorString = [](cudaError_t) { return "a CUDA error"; };
  return cuda;
}

}  // namespace

FakeGpus::FakeGpus(int devices, Running running) : state_(std::make_unique<State>()) {
  state_->running = running;
  for (int i = 0; i < devices; ++i) state_->defaults.push_back({i, {}});
  current = state_.get();
}

FakeGpus::~FakeGpus() { current = nullptr; }

GpuApi FakeGpus::api() const { return {fakeNccl(), fakeCuda(), NCCL_VERSION_CODE, "fake"}; }

void FakeGpus::launch(int on, std::function<void()> kernel) {
  const Lock lock(state_->mutex);
  state_->enqueue(state_->defaults[static_cast<std::size_t>(on)], [kernel] {
    kernel();
    return true;
  });
}

void FakeGpus::finish() {
  const Lock lock(state_->mutex);
  state_->progress();
}

std::vector<std::string> FakeGpus::calls() const {
  const Lock lock(state_->mutex);
  return state_->calls;
}

int FakeGpus::count(const std::string& beginning) const {
  const auto all = calls();
  return static_cast<int>(std::count_if(all.begin(), all.end(), [&](const std::string& call) {
    return call.starts_with(beginning);
  }));
}

std::vector<std::string> FakeGpus::problems() const {
  const Lock lock(state_->mutex);
  auto all = state_->problems;
  if (!state_->liveFactors.empty()) all.emplace_back("an operation is not destroyed");
  return all;
}

int FakeGpus::alive() const {
  const Lock lock(state_->mutex);
  return static_cast<int>(state_->comms.size() + state_->streams.size() + state_->events.size() +
                          state_->memory.size());
}

void FakeGpus::failInitOf(int rank, ncclResult_t result) { state_->initFailures[rank] = result; }

void FakeGpus::failAt(int operation, int rank, ncclResult_t result) {
  const Lock lock(state_->mutex);
  state_->failAt = operation;
  state_->failingRank = rank;
  state_->failure = result;
}

}  // namespace shardlens
