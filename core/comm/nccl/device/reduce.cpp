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
  Reduction atSeats;
  Reduction amongSeats;
};

// Applies the factor in the first stage, so that the sum does not overflow and NCCL ranks may have
// different numbers of members.
Stages stagesOf(const Reduction& reduction, std::size_t members, bool shareSeats) {
  if (!shareSeats || !scales(reduction)) return {reduction, reduction};
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

void NcclCollectives::reduce(Work& work, const Group& group, std::optional<int> root,
                             const Choice& term, const Choice& into, const BlockReduction& how) {
  const auto own = ownSeatsOf(group);
  if (own.empty()) return;
  const auto bytes = term(seating_.ranksAt(own.front(), group).front()).bytes;
  if (bytes == 0) return;
  const auto count = bytes / how.itemBytes;
  const auto seats = seating_.seatsOf(group);
  const bool shareSeats = seats.size() < group.size();
  const auto stages = stagesOf(how.reduction, group.size(), shareSeats);
  SidesOf sides;
  std::set<void*> filled;
  for (const int seat : own) {
    const auto here = seating_.ranksAt(seat, group);
    const bool receives = !root || seating_.seatOf(*root) == seat;
    void* result = receives ? into(root ? *root : here.front()).data : nullptr;
    // Two NCCL kernels must not write to one buffer: if ranks share it, only one fills it.
    const bool isFilled = receives && !filled.insert(result).second;
    if (isFilled || !receives) result = nullptr;
    std::vector<const void*> terms;
    for (const int rank : here) terms.push_back(term(rank).data);
    if (seats.size() == 1) {
      how.local(commStream(seat).device(), terms, result, count, how.reduction);
    } else {
      const bool asItIs = terms.size() == 1 && !(shareSeats && scales(how.reduction));
      void* place = result;
      if (place == nullptr && (isFilled || !asItIs)) place = commStream(seat).take(bytes);
      if (!asItIs) how.local(commStream(seat).device(), terms, place, count, stages.atSeats);
      sides[seat] = {asItIs ? terms.front() : place, place};
    }
    if (root || result == nullptr) continue;
    for (const int rank : here) copyAfter(work, seat, into(rank).data, result, bytes);
  }
  if (seats.size() == 1) return;
  std::optional<int> number;
  if (root) {
    const auto place = std::lower_bound(seats.begin(), seats.end(), seating_.seatOf(*root));
    number = static_cast<int>(place - seats.begin());
  }
  addCall(
      work, seats, sides,
      [&nccl = api_.nccl, how, among = stages.amongSeats, items = static_cast<std::size_t>(count),
       number](const Sides& mine, ncclComm_t comm, cudaStream_t stream) {
        return withOp(nccl, how, among, comm, [&](ncclRedOp_t op) {
          if (!number) {
            return nccl.allReduce(mine.send, mine.receive, items, *how.type, op, comm, stream);
          }
          return nccl.reduce(mine.send, mine.receive, items, *how.type, op, *number, comm, stream);
        });
      });
}

void NcclCollectives::gatherAndReduce(Work& work, const Group& group, const Choice& term,
                                      const Choice& into, const BlockReduction& how) {
  const auto own = ownSeatsOf(group);
  if (own.empty()) return;
  const auto bytes = term(seating_.ranksAt(own.front(), group).front()).bytes;
  if (bytes == 0) return;
  std::map<int, std::vector<const void*>> terms;
  for (const int rank : group) {
    SidesOf sides;
    for (const int seat : own) {
      const bool isHere = seating_.seatOf(rank) == seat;
      void* place = isHere ? term(rank).data : commStream(seat).take(bytes);
      sides[seat] = {place, place};
      terms[seat].push_back(place);
    }
    broadcastAmong(work, seating_.seatsOf(group), seating_.seatOf(rank), sides, bytes);
  }
  std::set<void*> filled;
  for (const int seat : own) {
    const auto here = seating_.ranksAt(seat, group);
    void* result = into(here.front()).data;
    if (!filled.insert(result).second) continue;
    work.after.emplace_back([this, seat, result, bytes, how, terms = terms.at(seat)] {
      how.local(commStream(seat).device(), terms, result, bytes / how.itemBytes, how.reduction);
    });
    for (const int rank : here) copyAfter(work, seat, into(rank).data, result, bytes);
  }
}

void NcclCollectives::sendAndReduce(Work& work, const Group& group, int to, const Choice& term,
                                    const Choice& into, const BlockReduction& how) {
  const int seat = seating_.seatOf(to);
  const bool reduces = seating_.isOwn(seat);
  const DeviceBlock result = reduces ? into(to) : DeviceBlock{};
  std::vector<const void*> terms;
  for (const int from : group) {
    if (seating_.seatOf(from) == seat) {
      if (reduces) terms.push_back(term(from).data);
      continue;
    }
    void* place = reduces ? commStream(seat).take(result.bytes) : nullptr;
    terms.push_back(place);
    send(work, from, to, term, [&](int) { return DeviceBlock{place, result.bytes}; });
  }
  if (!reduces || result.bytes == 0) return;
  work.after.emplace_back([this, seat, result, how, terms] {
    how.local(commStream(seat).device(), terms, result.data, result.bytes / how.itemBytes,
              how.reduction);
  });
}

void NcclCollectives::allReduce(const GroupSet& groups, const std::vector<int>& hosted,
                                const Blocks& inputs, const Blocks& into,
                                const BlockReduction& how) {
  auto work = begin("all_reduce", groups);
  const auto term = [&](int rank) { return inputs[placeOf(hosted, rank)]; };
  const auto result = [&](int rank) { return into[placeOf(hosted, rank)]; };
  for (const auto& group : groups.groups) {
    if (canReduce(how)) {
      reduce(work, group, std::nullopt, term, result, how);
    } else {
      gatherAndReduce(work, group, term, result, how);
    }
  }
  run(std::move(work));
}

void NcclCollectives::reduceScatter(const GroupSet& groups, const std::vector<int>& hosted,
                                    const BlockLists& inputs, const Blocks& into,
                                    const BlockReduction& how) {
  auto work =
      canReduce(how) ? begin("reduce_scatter", groups) : beginMessages("reduce_scatter", groups);
  const auto result = [&](int rank) { return into[placeOf(hosted, rank)]; };
  for (const auto& group : groups.groups) {
    if (canReduce(how) && reduceAndCut(work, group, hosted, inputs, result, how)) continue;
    for (std::size_t member = 0; member < group.size(); ++member) {
      const auto term = [&](int rank) { return inputs[placeOf(hosted, rank)][member]; };
      if (canReduce(how)) {
        reduce(work, group, group[member], term, result, how);
      } else {
        sendAndReduce(work, group, group[member], term, result, how);
      }
    }
  }
  run(std::move(work));
}

bool NcclCollectives::reduceAndCut(Work& work, const Group& group, const std::vector<int>& hosted,
                                   const BlockLists& inputs, const Choice& into,
                                   const BlockReduction& how) {
  const auto own = ownSeatsOf(group);
  if (own.empty() || group.size() == 1 || !isInSeatOrder(group)) return own.empty();
  const auto rankAt = [&](int seat) { return seating_.ranksAt(seat, group).front(); };
  const auto& first = inputs[placeOf(hosted, rankAt(own.front()))];
  if (!areEquallyLong(first)) return false;
  const auto count = first.front().bytes / how.itemBytes;
  if (count == 0) return true;
  SidesOf sides;
  for (const int seat : own) {
    const auto& list = inputs[placeOf(hosted, rankAt(seat))];
    void* all = list.front().data;
    if (!lieSideBySide(list)) {
      all = commStream(seat).take(bytesOf(list));
      auto* place = static_cast<char*>(all);
      for (const auto& block : list) {
        commStream(seat).copy(place, block.data, block.bytes);
        place += block.bytes;
      }
    }
    sides[seat] = {all, into(rankAt(seat)).data};
  }
  addCall(work, seating_.seatsOf(group), sides,
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
