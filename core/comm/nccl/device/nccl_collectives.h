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
// over memory instead of tensors. A call returns when everything is queued on NCCL's streams: what
// is queued on the computing streams afterwards runs beside it, until wait() or the next
// collective. What NCCL cannot reduce (bitwise operations, averages of integers, types it does not
// know) is gathered, and each receiver reduces it in the group's order.
//
// Note [What all processes know] Which of NCCL's functions are called, and how often, depends on
// the groups, the seats and the sizes of the group's blocks alone. Where a block lies, and whether
// blocks are contiguous, is known to one process only: that process copies where it has to, and
// makes the same calls.
class NcclCollectives {
 public:
  // `places` says where each rank is. A collective call of all processes that they name.
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

  // What is queued on the computing streams after this call sees the last collective's outputs.
  void wait();
  // Blocks until NCCL has done its part of the last collective.
  void waitForNccl();
  // wait(), and blocks until all of it has run. Returns the seconds that the last collective took
  // on the slowest GPU. Throws NcclFailed, as all of the above do.
  double synchronize();

 private:
  // The block of a hosted rank.
  using Choice = std::function<DeviceBlock(int rank)>;
  using Group = std::vector<int>;
  // A collective while it is put together: copies that come before NCCL's calls are queued at once,
  // the calls and the copies after them are kept here until run().
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
  std::optional<Work> last_;                            // the last collective, until wait()
};

}  // namespace shardlens
