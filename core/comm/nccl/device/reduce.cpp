#include "core/comm/nccl/device/nccl_collectives.h"

#include <algorithm>
#include <set>

namespace shardlens {
namespace {

bool scales(const Reduction& reduction) {
  return reduction.op == ReduceOp::Avg || reduction.op == ReduceOp::PremulSum;
}

// A reduction in two stages: among the ranks of each NCCL rank, then among the NCCL ranks.
struct Stages {
  Reduction onGpu;
  Reduction amongGpus;
};

// Applies the factor in the first stage, so that the sum does not overflow and NCCL ranks may have
// different numbers of members.
Stages stagesOf(const Reduction& reduction, std::size_t members, bool shareNcclRanks) {
  if (!shareNcclRanks || !scales(reduction)) return {reduction, reduction};
  const double factor =
      reduction.op == ReduceOp::Avg ? 1.0 / static_cast<double>(members) : reduction.factor;
  return {{ReduceOp::PremulSum, factor}, {ReduceOp::Sum}};
}

ncclRedOp_t builtIn(ReduceOp op) {
  switch (op) {
    case ReduceOp::Avg:
      return ncclAvg;
    case ReduceOp::Min:
      return ncclMin;
    case ReduceOp::Max:
      return ncclMax;
    case ReduceOp::Product:
      return ncclProd;
    default:
      return ncclSum;
  }
}

// Calls with NCCL's operation. A premul_sum creates one for this communicator and call.
ncclResult_t withOp(const NcclApi& nccl, const BlockReduction& how, const Reduction& reduction,
                    ncclComm_t comm, const std::function<ncclResult_t(ncclRedOp_t)>& call) {
  if (reduction.op != ReduceOp::PremulSum) return call(builtIn(reduction.op));
  auto factor = scalarOf(*how.type, reduction.factor);
  ncclRedOp_t op{};
  const ncclResult_t made =
      nccl.redOpCreatePreMulSum(&op, factor.data(), *how.type, ncclScalarHostImmediate, comm);
  if (made != ncclSuccess) return made;
  const ncclResult_t called = call(op);
  nccl.redOpDestroy(op, comm);
  return called;
}

}  // namespace

void NcclCollectives::reduceOnGpu(int ncclRank, const Group& group, std::optional<int> root,
                                  const Choice& addend, const Choice& into,
                                  const BlockReduction& how) {
  std::vector<const void*> addends;
  std::set<void*> outputs;
  for (const int rank : group) {
    addends.push_back(addend(rank).data);
    if (!root || rank == *root) outputs.insert(into(rank).data);
  }
  const auto count = addend(group.front()).bytes / how.itemBytes;
  how.local(onGpu(ncclRank).device(), addends, {outputs.begin(), outputs.end()}, count,
            how.reduction);
}

void NcclCollectives::reduce(Work& work, const Group& group, std::optional<int> root,
                             const Choice& addend, const Choice& into, const BlockReduction& how) {
  const auto own = ownNcclRanksOf(group);
  if (own.empty()) return;
  const auto bytes = addend(rankMap_.ranksAt(own.front(), group).front()).bytes;
  if (bytes == 0) return;
  const auto ncclRanks = rankMap_.ncclRanksOf(group);
  if (ncclRanks.size() == 1) return reduceOnGpu(own.front(), group, root, addend, into, how);
  const auto count = bytes / how.itemBytes;
  const bool shareNcclRanks = ncclRanks.size() < group.size();
  const auto stages = stagesOf(how.reduction, group.size(), shareNcclRanks);
  SidesOf sides;
  std::set<void*> filled;
  for (const int ncclRank : own) {
    const auto here = rankMap_.ranksAt(ncclRank, group);
    const bool receives = !root || rankMap_.ncclRankOf(*root) == ncclRank;
    void* result = receives ? into(root ? *root : here.front()).data : nullptr;
    // Two NCCL kernels must not write to one buffer: if ranks share it, only one fills it.
    const bool isFilled = receives && !filled.insert(result).second;
    if (isFilled) result = nullptr;
    std::vector<const void*> addends;
    for (const int rank : here) addends.push_back(addend(rank).data);
    const bool asItIs = addends.size() == 1 && !(shareNcclRanks && scales(how.reduction));
    void* place = result;
    if (place == nullptr && (isFilled || !asItIs)) place = onGpu(ncclRank).allocate(bytes);
    if (!asItIs) {
      how.local(onGpu(ncclRank).device(), addends, {place}, count, stages.onGpu);
    }
    sides[ncclRank] = {asItIs ? addends.front() : place, place};
    if (root || result == nullptr) continue;
    for (const int rank : here) {
      work.copies[ncclRank].push_back({into(rank).data, result, bytes});
    }
  }
  std::optional<int> number;
  if (root) {
    const auto place =
        std::lower_bound(ncclRanks.begin(), ncclRanks.end(), rankMap_.ncclRankOf(*root));
    number = static_cast<int>(place - ncclRanks.begin());
  }
  const auto function = root ? Function::Reduce : Function::AllReduce;
  addCall(
      work, ncclRanks, NcclConnection::of(function, static_cast<std::size_t>(bytes)), sides,
      [&nccl = api_.nccl, how, among = stages.amongGpus, items = static_cast<std::size_t>(count),
       number](const Sides& mine, ncclComm_t comm, cudaStream_t stream) {
        return withOp(nccl, how, among, comm, [&](ncclRedOp_t op) {
          if (!number) {
            return nccl.allReduce(mine.send, mine.receive, items, *how.type, op, comm, stream);
          }
          return nccl.reduce(mine.send, mine.receive, items, *how.type, op, *number, comm, stream);
        });
      });
}

void NcclCollectives::gatherAndReduce(Work& work, const Group& group, const Choice& addend,
                                      const Choice& into, const BlockReduction& how) {
  const auto own = ownNcclRanksOf(group);
  if (own.empty()) return;
  const auto bytes = addend(rankMap_.ranksAt(own.front(), group).front()).bytes;
  if (bytes == 0) return;
  const auto ncclRanks = rankMap_.ncclRanksOf(group);
  if (ncclRanks.size() == 1) {
    return reduceOnGpu(own.front(), group, std::nullopt, addend, into, how);
  }
  std::map<int, std::vector<const void*>> addends;
  for (const int rank : group) {
    SidesOf sides;
    for (const int ncclRank : own) {
      const bool isHere = rankMap_.ncclRankOf(rank) == ncclRank;
      void* place = isHere ? addend(rank).data : onGpu(ncclRank).allocate(bytes);
      sides[ncclRank] = {place, place};
      addends[ncclRank].push_back(place);
    }
    broadcastAmong(work, ncclRanks, rankMap_.ncclRankOf(rank), sides, bytes);
  }
  std::set<void*> filled;
  for (const int ncclRank : own) {
    std::vector<void*> outputs;
    for (const int rank : rankMap_.ranksAt(ncclRank, group)) {
      void* output = into(rank).data;
      if (filled.insert(output).second) outputs.push_back(output);
    }
    if (outputs.empty()) continue;
    work.reductions.emplace_back([this, ncclRank, outputs, bytes, how,
                                  addends = addends.at(ncclRank)] {
      how.local(onGpu(ncclRank).device(), addends, outputs, bytes / how.itemBytes, how.reduction);
    });
  }
}

void NcclCollectives::sendAndReduce(Work& work, const Group& group, int to, const Choice& addend,
                                    const Choice& into, const BlockReduction& how) {
  const int ncclRank = rankMap_.ncclRankOf(to);
  const bool reduces = rankMap_.isOwn(ncclRank);
  const DeviceBlock result = reduces ? into(to) : DeviceBlock{};
  std::vector<const void*> addends;
  for (const int from : group) {
    if (rankMap_.ncclRankOf(from) == ncclRank) {
      if (reduces) addends.push_back(addend(from).data);
      continue;
    }
    void* place = reduces ? onGpu(ncclRank).allocate(result.bytes) : nullptr;
    addends.push_back(place);
    send(work, from, to, addend, [&](int) { return DeviceBlock{place, result.bytes}; });
  }
  if (!reduces || result.bytes == 0) return;
  work.reductions.emplace_back([this, ncclRank, result, how, addends] {
    how.local(onGpu(ncclRank).device(), addends, {result.data}, result.bytes / how.itemBytes,
              how.reduction);
  });
}

void NcclCollectives::allReduce(const GroupSet& groups, const std::vector<int>& hosted,
                                const Blocks& inputs, const Blocks& into,
                                const BlockReduction& how) {
  const CurrentDevice::Scope scope(current_);
  auto work = beginCollective("all_reduce", groups);
  const auto addend = [&](int rank) { return inputs[indexOf(hosted, rank)]; };
  const auto result = [&](int rank) { return into[indexOf(hosted, rank)]; };
  for (const auto& group : groups.groups) {
    if (canReduce(how)) {
      reduce(work, group, std::nullopt, addend, result, how);
    } else {
      gatherAndReduce(work, group, addend, result, how);
    }
  }
  run(std::move(work));
}

void NcclCollectives::reduceScatter(const GroupSet& groups, const std::vector<int>& hosted,
                                    const BlockLists& inputs, const Blocks& into,
                                    const BlockReduction& how) {
  const CurrentDevice::Scope scope(current_);
  auto work = canReduce(how) ? beginCollective("reduce_scatter", groups)
                             : beginMessages("reduce_scatter", groups);
  const auto result = [&](int rank) { return into[indexOf(hosted, rank)]; };
  for (const auto& group : groups.groups) {
    if (canReduce(how) && reduceAndCut(work, group, hosted, inputs, result, how)) continue;
    for (std::size_t member = 0; member < group.size(); ++member) {
      const auto addend = [&](int rank) { return inputs[indexOf(hosted, rank)][member]; };
      if (canReduce(how)) {
        reduce(work, group, group[member], addend, result, how);
      } else {
        sendAndReduce(work, group, group[member], addend, result, how);
      }
    }
  }
  run(std::move(work));
}

bool NcclCollectives::reduceAndCut(Work& work, const Group& group, const std::vector<int>& hosted,
                                   const BlockLists& inputs, const Choice& into,
                                   const BlockReduction& how) {
  const auto own = ownNcclRanksOf(group);
  if (own.empty() || group.size() == 1 || !isInNcclRankOrder(group)) return own.empty();
  const auto rankAt = [&](int ncclRank) { return rankMap_.ranksAt(ncclRank, group).front(); };
  const auto& first = inputs[indexOf(hosted, rankAt(own.front()))];
  if (!haveEqualSizes(first)) return false;
  const auto count = first.front().bytes / how.itemBytes;
  if (count == 0) return true;
  SidesOf sides;
  for (const int ncclRank : own) {
    const auto& list = inputs[indexOf(hosted, rankAt(ncclRank))];
    void* all = list.front().data;
    if (!areContiguous(list)) {
      all = onGpu(ncclRank).allocate(bytesOf(list));
      auto* place = static_cast<char*>(all);
      std::vector<BlockCopy> copies;
      for (const auto& block : list) {
        copies.push_back({place, block.data, block.bytes});
        place += block.bytes;
      }
      onGpu(ncclRank).copy(std::move(copies));
    }
    sides[ncclRank] = {all, into(rankAt(ncclRank)).data};
  }
  const auto connects =
      NcclConnection::of(Function::ReduceScatter, static_cast<std::size_t>(first.front().bytes));
  addCall(work, rankMap_.ncclRanksOf(group), connects, sides,
          [&nccl = api_.nccl, how, items = static_cast<std::size_t>(count)](
              const Sides& mine, ncclComm_t comm, cudaStream_t stream) {
            return withOp(nccl, how, how.reduction, comm, [&](ncclRedOp_t op) {
              return nccl.reduceScatter(mine.send, mine.receive, items, *how.type, op, comm,
                                        stream);
            });
          });
  return true;
}

}  // namespace shardlens
