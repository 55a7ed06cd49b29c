#include "tests/comm/nccl/fake_state.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

namespace shardlens::fake {
namespace {

void finish(Clique& clique, std::map<int, Operation>& members) {
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
                      "two members of " + clique.name() + " receive in one place");
      std::memcpy(to, result.data(), result.size());
    }
    *member.done = true;
  }
}

void meet(Clique& clique, std::pair<int, int> way) {
  auto& sent = clique.sent[way];
  auto& received = clique.received[way];
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
  Clique& clique = *comm.clique;
  if (operation.kind == "ncclSend" || operation.kind == "ncclRecv") {
    const bool sends = operation.kind == "ncclSend";
    const std::pair<int, int> way =
        sends ? std::pair(comm.rank, operation.peer) : std::pair(operation.peer, comm.rank);
    (sends ? clique.sent : clique.received)[way].push_back(operation);
    return meet(clique, way);
  }
  if (comm.nextCollective == clique.collectives.size()) clique.collectives.emplace_back();
  auto& members = clique.collectives[comm.nextCollective++];
  members.emplace(comm.rank, operation);
  if (members.size() == clique.ncclRanks.size()) finish(clique, members);
}

ncclResult_t add(ncclComm_t handle, cudaStream_t stream, const Operation& operation) {
  const Lock lock(current->mutex);
  auto& comm = known(handle);
  auto& queue = stream == nullptr ? current->defaults[static_cast<std::size_t>(comm.device)]
                                  : streamOf(stream);
  const bool isMessage = operation.peer >= 0;
  const auto size = operation.text().substr(operation.kind.size());
  current->call(operation.kind + " " + labelOf(comm) + size +
                (isMessage ? " peer " + std::to_string(operation.peer) : ""));
  current->expect(current->comms.contains(&comm),
                  operation.kind + " on a communicator that is gone");
  current->expect(group.depth > 0, operation.kind + " outside a group");
  current->expect(comm.isBlocking, operation.kind + " on a non-blocking communicator");
  current->expect(comm.state == ncclSuccess && comm.polls == 0,
                  operation.kind + " while its communicator is busy");
  current->expect(queue.device == comm.device, operation.kind + " on another device's stream");
  const std::pair key(&comm, &queue);
  if (!group.operations.contains(key)) group.order.push_back(key);
  group.operations[key].push_back(operation);
  return ncclSuccess;
}

void settle(const std::shared_ptr<Clique>& clique) {
  if (clique->isSettled || clique->members.size() != clique->ncclRanks.size()) return;
  clique->isSettled = true;
  for (auto* member : clique->members) {
    const auto failure = current->initFailures.find(member->rank);
    member->state = failure == current->initFailures.end() ? ncclSuccess : failure->second;
  }
}

ncclResult_t initRank(ncclComm_t* made, int count, ncclUniqueId id, int rank,
                      ncclConfig_t* config) {
  const Lock lock(current->mutex);
  current->call("ncclCommInitRankConfig " + std::to_string(rank) + " of " + std::to_string(count) +
                " on " + std::to_string(device));
  current->expect(config->blocking == 0, "a communicator that blocks while it comes up");
  group.isBlocking = false;
  current->expect(group.depth > 0, "ncclCommInitRankConfig outside a group");
  auto* comm = new Communicator;
  current->comms.insert(comm);
  auto& clique = current->cliques[id.internal];
  if (!clique) {
    clique = std::make_shared<Clique>();
    clique->ncclRanks.resize(static_cast<std::size_t>(count));
    std::iota(clique->ncclRanks.begin(), clique->ncclRanks.end(), 0);
  }
  comm->clique = clique;
  comm->rank = rank;
  comm->device = device;
  comm->polls = 2;
  *made = reinterpret_cast<ncclComm_t>(comm);
  for (const auto* other : clique->members) {
    current->expect(other->device != device, "two NCCL ranks on one GPU");
  }
  clique->members.push_back(comm);
  group.ends.emplace_back([clique = clique] { settle(clique); });
  return ncclInProgress;
}

void makeChildren(Clique& parent, const Clique::Split& split) {
  std::map<int, std::map<int, int>> byColour;  // colour -> key -> member
  for (const auto& [member, share] : split.shares) {
    if (share.colour != NCCL_SPLIT_NOCOLOR) byColour[share.colour][share.key] = member;
  }
  for (const auto& [colour, keys] : byColour) {
    auto clique = std::make_shared<Clique>();
    for (const auto& [key, member] : keys) {
      clique->ncclRanks.push_back(parent.ncclRanks[static_cast<std::size_t>(member)]);
    }
    int rank = 0;
    for (const auto& [key, member] : keys) {
      auto* comm = new Communicator;
      current->comms.insert(comm);
      comm->clique = clique;
      comm->rank = rank++;
      const auto isMember = [member = member](const auto* each) { return each->rank == member; };
      comm->device =
          (*std::find_if(parent.members.begin(), parent.members.end(), isMember))->device;
      comm->isBlocking = split.shares.at(member).blocking;
      comm->polls = 1;
      comm->state = ncclSuccess;
      clique->members.push_back(comm);
      *split.shares.at(member).made = reinterpret_cast<ncclComm_t>(comm);
    }
  }
  for (auto* member : parent.members) member->state = ncclSuccess;
}

ncclResult_t splitComm(ncclComm_t handle, int colour, int key, ncclComm_t* made,
                       ncclConfig_t* config) {
  const Lock lock(current->mutex);
  auto& comm = known(handle);
  const bool blocking = config == nullptr ? comm.isBlocking : config->blocking == 1;
  current->call("ncclCommSplit " + labelOf(comm) + " colour " + std::to_string(colour) + " key " +
                std::to_string(key) + (blocking ? ", blocking" : ""));
  current->expect(comm.state == ncclSuccess, "ncclCommSplit while its communicator is busy");
  current->expect(group.depth > 0, "ncclCommSplit outside a group");
  group.isBlocking = group.isBlocking && comm.isBlocking;
  comm.state = ncclInProgress;
  comm.polls = 2;
  *made = nullptr;
  auto& clique = *comm.clique;
  if (comm.nextSplit == clique.splits.size()) clique.splits.emplace_back();
  auto& split = clique.splits[comm.nextSplit++];
  split.shares[comm.rank] = {colour, key, blocking, made};
  if (split.shares.size() == clique.ncclRanks.size()) {
    group.ends.emplace_back([&clique, split] { makeChildren(clique, split); });
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
  const int ncclRank = comm.clique->ncclRanks[static_cast<std::size_t>(comm.rank)];
  *state = current->hasFailed() && ncclRank == current->failingRank ? current->failure : comm.state;
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
  current->changed.notify_all();
  auto& members = comm.clique->members;
  members.erase(std::find(members.begin(), members.end(), &comm));
  delete &comm;
  return ncclSuccess;
}

// Blocks until all members have made a first call of each kind in the group, as NCCL does to
// connect them. Returns false if this process aborts its communicators meanwhile, or did so before.
bool connect(std::unique_lock<std::recursive_mutex>& lock) {
  const auto isAborted = [] {
    return std::any_of(group.order.begin(), group.order.end(),
                       [](const auto& key) { return !current->comms.contains(key.first); });
  };
  if (isAborted()) return false;
  struct Awaited {
    std::shared_ptr<Clique> clique;
    std::string kind;
    std::size_t members;
  };
  std::vector<Awaited> awaited;
  for (const auto& [comm, stream] : group.order) {
    for (const auto& operation : group.operations.at({comm, stream})) {
      const int rank = comm->rank;
      const int peer = operation.peer;
      if (peer == rank) continue;
      std::string kind = operation.kind;
      if (kind == "ncclSend") kind = std::to_string(rank) + " to " + std::to_string(peer);
      if (kind == "ncclRecv") kind = std::to_string(peer) + " to " + std::to_string(rank);
      comm->clique->connected[kind].insert(rank);
      awaited.push_back({comm->clique, kind, peer < 0 ? comm->clique->ncclRanks.size() : 2});
    }
  }
  current->changed.notify_all();
  current->changed.wait(lock, [&] {
    return isAborted() || std::all_of(awaited.begin(), awaited.end(), [](const Awaited& each) {
             return each.clique->connected.at(each.kind).size() == each.members;
           });
  });
  return !isAborted();
}

ncclResult_t endGroup() {
  std::unique_lock<std::recursive_mutex> lock(current->mutex);
  current->call("ncclGroupEnd");
  current->expect(group.depth > 0, "ncclGroupEnd without ncclGroupStart");
  if (--group.depth > 0) return ncclSuccess;
  for (const auto& end : group.ends) end();
  group.ends.clear();
  const bool isConnected = connect(lock);
  if (isConnected) {
    for (const auto& key : group.order) {
      auto& [comm, stream] = key;
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
  }
  group.order.clear();
  group.operations.clear();
  const bool isBlocking = std::exchange(group.isBlocking, true);
  if (!isConnected) return ncclInternalError;
  return isBlocking ? ncclSuccess : ncclInProgress;
}

}  // namespace

NcclApi nccl() {
  NcclApi api;
  api.getVersion = [](int* version) {
    *version = NCCL_VERSION_CODE;
    return ncclSuccess;
  };
  api.getUniqueId = [](ncclUniqueId* id) {
    const Lock lock(current->mutex);
    const auto text = "clique " + std::to_string(++current->ids);
    std::strcpy(id->internal, text.c_str());
    return ncclSuccess;
  };
  api.commInitRankConfig = initRank;
  api.commSplit = splitComm;
  api.commFinalize = [](ncclComm_t handle) {
    const Lock lock(current->mutex);
    current->call("ncclCommFinalize " + labelOf(known(handle)));
    if (known(handle).isBlocking) return ncclSuccess;
    known(handle).polls = 1;
    return ncclInProgress;
  };
  api.commDestroy = [](ncclComm_t comm) { return release("ncclCommDestroy", comm); };
  api.commAbort = [](ncclComm_t comm) { return release("ncclCommAbort", comm); };
  api.commGetAsyncError = asyncError;
  api.getErrorString = [](ncclResult_t result) {
    return result == ncclRemoteError ? "remote process exited or there was a network error"
                                     : "unhandled system error";
  };
  api.getLastError = [](ncclComm_t) { return "the fake's last words"; };
  api.groupStart = [] {
    const Lock lock(current->mutex);
    current->call("ncclGroupStart");
    ++group.depth;
    return ncclSuccess;
  };
  api.groupEnd = endGroup;
  api.allReduce = [](const void* send, void* receive, std::size_t items, ncclDataType_t type,
                     ncclRedOp_t op, ncclComm_t comm, cudaStream_t stream) {
    return add(comm, stream, {"ncclAllReduce", send, receive, items, type, op});
  };
  api.reduce = [](const void* send, void* receive, std::size_t items, ncclDataType_t type,
                  ncclRedOp_t op, int root, ncclComm_t comm, cudaStream_t stream) {
    return add(comm, stream, {"ncclReduce", send, receive, items, type, op, root});
  };
  api.reduceScatter = [](const void* send, void* receive, std::size_t items, ncclDataType_t type,
                         ncclRedOp_t op, ncclComm_t comm, cudaStream_t stream) {
    return add(comm, stream, {"ncclReduceScatter", send, receive, items, type, op});
  };
  api.allGather = [](const void* send, void* receive, std::size_t items, ncclDataType_t type,
                     ncclComm_t comm, cudaStream_t stream) {
    return add(comm, stream, {"ncclAllGather", send, receive, items, type});
  };
  api.broadcast = [](const void* send, void* receive, std::size_t items, ncclDataType_t type,
                     int root, ncclComm_t comm, cudaStream_t stream) {
    return add(comm, stream, {"ncclBroadcast", send, receive, items, type, ncclSum, root});
  };
  api.send = [](const void* data, std::size_t items, ncclDataType_t type, int peer, ncclComm_t comm,
                cudaStream_t stream) {
    return add(comm, stream, {"ncclSend", data, nullptr, items, type, ncclSum, -1, peer});
  };
  api.recv = [](void* data, std::size_t items, ncclDataType_t type, int peer, ncclComm_t comm,
                cudaStream_t stream) {
    return add(comm, stream, {"ncclRecv", nullptr, data, items, type, ncclSum, -1, peer});
  };
  api.redOpCreatePreMulSum = [](ncclRedOp_t* op, void* scalar, ncclDataType_t type,
                                ncclScalarResidence_t, ncclComm_t) {
    const Lock lock(current->mutex);
    *op = static_cast<ncclRedOp_t>(ncclNumOps + static_cast<int>(current->factors.size()));
    current->factors.push_back(fakeLoad(scalar, 0, type));
    current->liveFactors.insert(*op);
    return ncclSuccess;
  };
  api.redOpDestroy = [](ncclRedOp_t op, ncclComm_t) {
    const Lock lock(current->mutex);
    current->expect(current->liveFactors.erase(op) == 1, "an operation is destroyed twice");
    return ncclSuccess;
  };
  return api;
}

}  // namespace shardlens::fake
