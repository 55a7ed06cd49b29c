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

// The collectives of core/comm/communicator.h for ranks on GPUs, over memory instead of tensors. A
// call returns when its work is queued: on the computing streams, or beside them if it overlaps
// (setOverlaps()). An overlapping collective is complete after wait() or the next collective.
// Reductions that NCCL lacks (see canReduce()) are gathered, and each receiver reduces in the
// group's order.
//
// Note [What all processes know] The number and order of NCCL calls depend only on the groups, the
// NCCL ranks and the block sizes of the group. The addresses of blocks, and whether they are
// contiguous, are known to one process only. That process copies where necessary and makes the same
// calls.
class NcclCollectives {
 public:
  // `places` gives the GPU of each rank. Collective: every process that they name must call it.
  // Returns an error if NCCL cannot be initialised.
  static Result<std::unique_ptr<NcclCollectives>> join(const GpuApi& api,
                                                       const std::vector<GpuPlace>& places,
                                                       int process, NcclHooks hooks);
  ~NcclCollectives();

  // Sets whether NCCL runs the following collectives beside the work that is queued after the call,
  // until wait().
  void setOverlaps(bool overlaps) { overlaps_ = overlaps; }

  // Returns the CUDA device index of a rank.
  int device(int rank) const;
  const RankMap& rankMap() const { return rankMap_; }

  // `hosted` are the ranks whose blocks are passed, ascending: the ranks of this process that are
  // in one of the groups. inputs[i] and into[i] belong to hosted[i].
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

  // Makes work that is queued on the computing streams after this call see the last collective's
  // outputs. Does nothing unless that collective overlaps.
  void wait();
  // Returns true if the last collective made NCCL calls, and so depends on other GPUs.
  bool usedNccl() const { return usedNccl_; }
  // Blocks until NCCL has finished its part of the last collective, which overlapped.
  void waitForNccl();
  // Calls wait() and blocks until the last collective has run. Throws NcclFailed, as all functions
  // above do.
  void synchronize();

 private:
  // Returns the block of a hosted rank.
  using Choice = std::function<DeviceBlock(int rank)>;
  using Group = std::vector<int>;
  // A collective under construction. Copies and reductions that precede the NCCL calls are queued
  // at once. run() issues the calls. The reductions that follow them, and then the copies, are
  // queued by wait() if the collective overlaps, else by run().
  struct Work {
    std::vector<std::vector<NcclRankSet>> batches;
    std::vector<NcclCall> calls;
    std::vector<std::function<void()>> reductions;
    std::map<int, std::vector<BlockCopy>> copies;  // by own NCCL rank
  };
  // The send and receive buffers of one NCCL rank.
  struct Sides {
    const void* send = nullptr;
    void* receive = nullptr;
  };
  using SidesOf = std::map<int, Sides>;
  using Function = NcclConnection::Function;
  using Maker = std::function<ncclResult_t(const Sides&, ncclComm_t, cudaStream_t)>;

  NcclCollectives(const GpuApi& api, RankMap rankMap);

  // Returns the index of the rank in `ranks`. Throws CheckFailed if it is missing.
  static std::size_t indexOf(const std::vector<int>& ranks, int rank);
  // begin() prepares a communicator per set of NCCL ranks: beginCollective() per group of several,
  // beginMessages() of all NCCL ranks, if a group has several.
  Work begin(const std::string& name, const GroupSet& groups, const std::vector<NcclRankSet>& sets);
  Work beginCollective(const std::string& name, const GroupSet& groups);
  Work beginMessages(const std::string& name, const GroupSet& groups);
  // Returns the sets of several NCCL ranks that the groups have.
  std::vector<NcclRankSet> setsOf(const GroupSet& groups) const;
  // Issues the NCCL calls.
  void run(Work work);
  // Queues what follows the NCCL calls.
  void finish(Work work);

  void addCall(Work& work, const NcclRankSet& ncclRanks, NcclConnection connects, SidesOf sides,
               const Maker& make);
  void broadcastAmong(Work& work, const NcclRankSet& ncclRanks, int sender, const SidesOf& sides,
                      std::int64_t bytes);
  // Sends one member's block to all members.
  void spread(Work& work, const Group& group, int from, const Choice& source, const Choice& into);
  // Sends one rank's block to another rank. All processes queue the messages between two of them in
  // the same order.
  void send(Work& work, int from, int to, const Choice& source, const Choice& into);
  // Reduces one block per member of a group on one GPU of this process, in one launch.
  void reduceOnGpu(int ncclRank, const Group& group, std::optional<int> root, const Choice& addend,
                   const Choice& into, const BlockReduction& how);
  // Reduces one block per member into all members, or into the rank `root`.
  void reduce(Work& work, const Group& group, std::optional<int> root, const Choice& addend,
              const Choice& into, const BlockReduction& how);
  // Reduces and scatters with one ncclReduceScatter. Returns false, with nothing queued, if the
  // group does not fit it: members in another order than their NCCL ranks, shared NCCL ranks, or
  // blocks of different sizes.
  bool reduceAndCut(Work& work, const Group& group, const std::vector<int>& hosted,
                    const BlockLists& inputs, const Choice& into, const BlockReduction& how);
  // The same without NCCL's reductions: into all members, or into the rank `to`.
  void gatherAndReduce(Work& work, const Group& group, const Choice& addend, const Choice& into,
                       const BlockReduction& how);
  void sendAndReduce(Work& work, const Group& group, int to, const Choice& addend,
                     const Choice& into, const BlockReduction& how);
  // Returns true if each member has its own NCCL rank and the members are in NCCL rank order.
  bool isInNcclRankOrder(const Group& group) const;

  // Makes the GPU of an own NCCL rank current, and returns its streams.
  CommStream& onGpu(int ncclRank);
  void onEachGpu(const std::function<void(CommStream&)>& queue);
  // Returns the stream for NCCL calls. They may run on another thread, and need no current device.
  cudaStream_t streamOf(int ncclRank) const { return streams_.at(ncclRank)->stream(); }
  std::vector<int> ownNcclRanksOf(const Group& group) const;

  GpuApi api_;
  RankMap rankMap_;
  std::unique_ptr<NcclCommSet> commSet_;
  std::map<int, std::unique_ptr<CommStream>> streams_;  // by own NCCL rank
  CurrentDevice current_{api_.cuda};
  bool overlaps_ = false;
  bool usedNccl_ = false;
  std::optional<Work> last_;  // the last collective, if it overlaps, until wait()
};

}  // namespace shardlens
