#pragma once

#include "core/comm/nccl/device/buffers.h"
#include "core/comm/nccl/device/comm_stream.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace shardlens {

// Ranks on GPUs, of which this process hosts some: the collectives of core/comm/communicator.h,
// over memory instead of tensors, which is all that lies between them and NCCL. They return when
// all is on NCCL's streams: what the GPUs are given to compute from then on runs beside it, until
// arrive() or the next one. What NCCL cannot reduce (bitwise, averages of integers, types it does
// not know) it gathers, to be reduced in the group's order where it arrives.
//
// Note [What all processes know] Which of NCCL's functions is called, and how often, follows from
// the groups, the seats and the sizes of the group's blocks alone. Where a block lies, and whether
// blocks lie side by side, only one process knows: it copies, and calls the same.
class NcclCollectives {
 public:
  // `places` says where each rank is; takes as many processes as they name, all at once.
  static Result<std::unique_ptr<NcclCollectives>> join(const GpuApi& api,
                                                       const std::vector<GpuPlace>& places,
                                                       int process, RanksPerGpu sharing,
                                                       NcclHooks surroundings);
  ~NcclCollectives();

  int device(int rank) const;
  const RankMap& seating() const { return seating_; }

  // `hosted` are the ranks whose blocks are given, ascending: those of this process that are in one
  // of the groups.
  void allReduce(const GroupSet& groups, const std::vector<int>& hosted, const Blocks& inputs,
                 const Blocks& into, const BlockReduction& how);
  void allGather(const GroupSet& groups, const std::vector<int>& hosted, const Blocks& inputs,
                 const BlockLists& into);
  void reduceScatter(const GroupSet& groups, const std::vector<int>& hosted,
                     const BlockLists& inputs, const Blocks& into, const BlockReduction& how);
  void allToAll(const GroupSet& groups, const std::vector<int>& hosted, const BlockLists& inputs,
                const BlockLists& into);
  void broadcast(const GroupSet& groups, const std::vector<int>& hosted, int root,
                 const Blocks& inputs, const Blocks& into);
  void scatter(const GroupSet& groups, const std::vector<int>& hosted, int root,
               const BlockLists& inputs, const Blocks& into);

  // What was received is there for whatever the GPUs are given to compute from here on.
  void arrive();
  // Until NCCL has done its part of the last collective.
  void waitForNccl();
  // Has it arrive, and waits until all has run. The seconds are those of the last collective, on
  // the GPU that took longest. Throws NcclFailed, as all of the above do.
  double wait();

 private:
  // The block of a hosted rank.
  using Choice = std::function<DeviceBlock(int rank)>;
  using Group = std::vector<int>;
  // A collective while it is put together. What the GPUs have to do first they are given at once;
  // NCCL's calls and what follows them are noted.
  struct Work {
    std::vector<std::vector<NcclRankSet>> rounds;
    std::vector<NcclCall> calls;
    std::vector<std::function<void()>> after;
  };
  // What a seat passes to NCCL.
  struct Sides {
    const void* send = nullptr;
    void* receive = nullptr;
  };
  using SidesOf = std::map<int, Sides>;
  using Maker = std::function<ncclResult_t(const Sides&, ncclComm_t, cudaStream_t)>;

  NcclCollectives(const GpuApi& api, RankMap seating);

  static std::size_t placeOf(const std::vector<int>& ranks, int rank);
  // With communicators for the groups; or with that of all, for messages.
  Work begin(const std::string& name, const GroupSet& groups);
  Work beginMessages(const std::string& name, const GroupSet& groups);
  void run(Work work);
  void copyAfter(Work& work, int seat, void* to, const void* from, std::int64_t bytes);

  void addCall(Work& work, const NcclRankSet& seats, SidesOf sides, const Maker& make);
  void broadcastAmong(Work& work, const NcclRankSet& seats, int sender, const SidesOf& sides,
                      std::int64_t bytes);
  // One member's block to all members.
  void spread(Work& work, const Group& group, int from, const Choice& source, const Choice& into);
  // One rank's block to another; both processes name their messages in the same order.
  void send(Work& work, int from, int to, const Choice& source, const Choice& into);
  // The terms of all members to all of them, or to the one at `root`.
  void reduce(Work& work, const Group& group, std::optional<int> root, const Choice& term,
              const Choice& into, const BlockReduction& how);
  // The reduced blocks that lie side by side are cut among the members by NCCL itself; false where
  // the group is not as that takes it.
  bool reduceAndCut(Work& work, const Group& group, const std::vector<int>& hosted,
                    const BlockLists& inputs, const Choice& into, const BlockReduction& how);
  // Without NCCL's reductions: to all members, or to one.
  void gatherAndReduce(Work& work, const Group& group, const Choice& term, const Choice& into,
                       const BlockReduction& how);
  void sendAndReduce(Work& work, const Group& group, int to, const Choice& term, const Choice& into,
                     const BlockReduction& how);
  // Whether the members sit on seats of their own, in the order of the seats.
  bool isInSeatOrder(const Group& group) const;

  CommStream& commStream(int seat) { return *streams_.at(seat); }
  std::vector<int> ownSeatsOf(const Group& group) const;

  GpuApi api_;
  RankMap seating_;
  std::unique_ptr<NcclCommSet> commSet_;
  std::map<int, std::unique_ptr<CommStream>> streams_;  // of own seats
  std::optional<Work> underWay_;                        // the last collective, until it has arrived
};

}  // namespace shardlens
