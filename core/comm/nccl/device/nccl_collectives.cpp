#include "core/comm/nccl/device/nccl_collectives.h"

#include "core/base/check.h"

#include <algorithm>
#include <utility>

namespace shardlens {

Result<std::unique_ptr<NcclCollectives>> NcclCollectives::join(const GpuApi& api,
                                                               const std::vector<GpuPlace>& places,
                                                               int process, NcclHooks hooks) {
  const RankMap rankMap(places, process);
  auto commSet = NcclCommSet::join(api, rankMap, std::move(hooks));
  if (!commSet) return tl::unexpected(commSet.error());
  std::unique_ptr<NcclCollectives> ranks(new NcclCollectives(api, rankMap));
  ranks->commSet_ = *std::move(commSet);
  for (const int ncclRank : rankMap.own()) {
    const int device = rankMap.ncclRanks()[static_cast<std::size_t>(ncclRank)].place.device;
    ranks->streams_[ncclRank] =
        std::make_unique<CommStream>(ranks->api_.cuda, *ranks->commSet_, device);
  }
  return ranks;
}

NcclCollectives::NcclCollectives(const GpuApi& api, RankMap rankMap)
    : api_(api), rankMap_(std::move(rankMap)) {}

// Waits first, so that streams and memory are freed only when unused.
NcclCollectives::~NcclCollectives() {
  if (commSet_ == nullptr) return;
  try {
    wait();
  } catch (const NcclFailed&) {  // aborted
  }
  commSet_ = nullptr;
}

std::size_t NcclCollectives::indexOf(const std::vector<int>& ranks, int rank) {
  const auto found = std::find(ranks.begin(), ranks.end(), rank);
  SL_CHECK(found != ranks.end(), "a group's ranks are those whose blocks are given");
  return static_cast<std::size_t>(found - ranks.begin());
}

int NcclCollectives::device(int rank) const {
  return rankMap_.ncclRanks()[static_cast<std::size_t>(rankMap_.ncclRankOf(rank))].place.device;
}

std::vector<int> NcclCollectives::ownNcclRanksOf(const Group& group) const {
  auto ncclRanks = rankMap_.ncclRanksOf(group);
  ncclRanks.erase(std::remove_if(ncclRanks.begin(), ncclRanks.end(),
                                 [&](int ncclRank) { return !rankMap_.isOwn(ncclRank); }),
                  ncclRanks.end());
  return ncclRanks;
}

bool NcclCollectives::isInNcclRankOrder(const Group& group) const {
  return std::is_sorted(group.begin(), group.end(),
                        [&](int one, int other) {
                          return rankMap_.ncclRankOf(one) < rankMap_.ncclRankOf(other);
                        }) &&
         rankMap_.ncclRanksOf(group).size() == group.size();
}

NcclCollectives::Work NcclCollectives::begin(const std::string& name, const GroupSet& groups,
                                             const std::vector<NcclRankSet>& sets) {
  wait();
  commSet_->setOperation(name + (groups.axis.empty() ? "" : " over " + groups.axis));
  Work work;
  work.batches = inBatches(sets);
  commSet_->prepare(work.batches);
  onEachGpu([](CommStream& gpu) { gpu.begin(); });
  return work;
}

NcclCollectives::Work NcclCollectives::beginCollective(const std::string& name,
                                                       const GroupSet& groups) {
  return begin(name, groups, setsOf(groups));
}

NcclCollectives::Work NcclCollectives::beginMessages(const std::string& name,
                                                     const GroupSet& groups) {
  if (setsOf(groups).empty()) return begin(name, groups, {});
  return begin(name, groups, {rankMap_.all()});
}

std::vector<NcclRankSet> NcclCollectives::setsOf(const GroupSet& groups) const {
  std::vector<NcclRankSet> sets;
  for (const auto& group : groups.groups) {
    auto set = rankMap_.ncclRanksOf(group);
    if (set.size() > 1) sets.push_back(std::move(set));
  }
  return sets;
}

CommStream& NcclCollectives::onGpu(int ncclRank) {
  auto& gpu = *streams_.at(ncclRank);
  current_.use(gpu.device());
  return gpu;
}

void NcclCollectives::onEachGpu(const std::function<void(CommStream&)>& queue) {
  for (const auto& [ncclRank, gpu] : streams_) queue(onGpu(ncclRank));
}

// Kernels of one GPU need no wait for another GPU, so a collective of them alone never overlaps.
void NcclCollectives::run(Work work) {
  usedNccl_ = !work.calls.empty();
  if (!usedNccl_) return finish(std::move(work));
  onEachGpu([this](CommStream& gpu) { gpu.open(overlaps_); });
  commSet_->issue(work.batches, work.calls);
  onEachGpu([](CommStream& gpu) { gpu.close(); });
  if (!overlaps_) return finish(std::move(work));
  last_ = std::move(work);
}

void NcclCollectives::wait() {
  if (!last_) return;
  const CurrentDevice::Scope scope(current_);
  auto work = *std::exchange(last_, std::nullopt);
  onEachGpu([](CommStream& gpu) { gpu.join(); });
  finish(std::move(work));
}

void NcclCollectives::finish(Work work) {
  for (const auto& reduce : work.reductions) reduce();
  for (auto& [ncclRank, copies] : work.copies) onGpu(ncclRank).copy(std::move(copies));
  onEachGpu([](CommStream& gpu) { gpu.end(); });
}

void NcclCollectives::waitForNccl() {
  const auto isDone = [](const auto& each) { return each.second->isDone(); };
  commSet_->waitUntil([&] { return std::all_of(streams_.begin(), streams_.end(), isDone); });
}

void NcclCollectives::synchronize() {
  wait();
  {
    const CurrentDevice::Scope scope(current_);
    onEachGpu([](CommStream& gpu) { gpu.mark(); });
  }
  waitForNccl();
}

void NcclCollectives::spread(Work& work, const Group& group, int from, const Choice& source,
                             const Choice& into) {
  const auto ncclRanks = rankMap_.ncclRanksOf(group);
  const int sender = rankMap_.ncclRankOf(from);
  SidesOf sides;
  std::int64_t bytes = 0;
  for (const int ncclRank : ownNcclRanksOf(group)) {
    const auto here = rankMap_.ranksAt(ncclRank, group);
    const auto first = into(here.front());
    bytes = first.bytes;
    const void* sent = ncclRank == sender ? source(from).data : first.data;
    if (ncclRanks.size() > 1) sides[ncclRank] = {sent, first.data};
    for (const int rank : here) {
      work.copies[ncclRank].push_back(
          {into(rank).data, ncclRanks.size() > 1 ? first.data : sent, bytes});
    }
  }
  if (!sides.empty()) broadcastAmong(work, ncclRanks, sender, sides, bytes);
}

void NcclCollectives::broadcastAmong(Work& work, const NcclRankSet& ncclRanks, int sender,
                                     const SidesOf& sides, std::int64_t bytes) {
  if (ncclRanks.size() == 1 || bytes == 0) return;
  const auto root =
      std::lower_bound(ncclRanks.begin(), ncclRanks.end(), sender) - ncclRanks.begin();
  const auto items = static_cast<std::size_t>(bytes);
  addCall(work, ncclRanks, NcclConnection::of(Function::Broadcast, items), sides,
          [&nccl = api_.nccl, items, root = static_cast<int>(root)](
              const Sides& mine, ncclComm_t comm, cudaStream_t stream) {
            return nccl.broadcast(mine.send, mine.receive, items, ncclUint8, root, comm, stream);
          });
}

void NcclCollectives::addCall(Work& work, const NcclRankSet& ncclRanks, NcclConnection connects,
                              SidesOf sides, const Maker& make) {
  work.calls.push_back(
      {ncclRanks, connects, [this, sides = std::move(sides), make](int ncclRank, ncclComm_t comm) {
         return make(sides.at(ncclRank), comm, streamOf(ncclRank));
       }});
}

void NcclCollectives::send(Work& work, int from, int to, const Choice& source, const Choice& into) {
  const int sender = rankMap_.ncclRankOf(from);
  const int receiver = rankMap_.ncclRankOf(to);
  if (sender == receiver) {
    if (!rankMap_.isOwn(sender)) return;
    const auto block = source(from);
    work.copies[sender].push_back({into(to).data, block.data, block.bytes});
    return;
  }
  const DeviceBlock sent = rankMap_.isOwn(sender) ? source(from) : DeviceBlock{};
  const DeviceBlock received = rankMap_.isOwn(receiver) ? into(to) : DeviceBlock{};
  const auto bytes = static_cast<std::size_t>(std::max(sent.bytes, received.bytes));
  if (bytes == 0) return;
  const auto call = [this, sender, receiver, sent, received, bytes](int ncclRank, ncclComm_t comm) {
    if (ncclRank == sender) {
      return api_.nccl.send(sent.data, bytes, ncclUint8, receiver, comm, streamOf(ncclRank));
    }
    if (ncclRank == receiver) {
      return api_.nccl.recv(received.data, bytes, ncclUint8, sender, comm, streamOf(ncclRank));
    }
    return ncclSuccess;
  };
  work.calls.push_back({rankMap_.all(), NcclConnection::between(sender, receiver), call});
}

void NcclCollectives::allGather(const GroupSet& groups, const std::vector<int>& hosted,
                                const Blocks& inputs, const BlockLists& into) {
  const CurrentDevice::Scope scope(current_);
  auto work = beginCollective("all_gather", groups);
  for (const auto& group : groups.groups) {
    const auto own = ownNcclRanksOf(group);
    if (own.empty()) continue;
    const auto listOf = [&](int ncclRank) -> const Blocks& {
      return into[indexOf(hosted, rankMap_.ranksAt(ncclRank, group).front())];
    };
    const auto ncclRanks = rankMap_.ncclRanksOf(group);
    if (ncclRanks.size() == 1 || !isInNcclRankOrder(group) ||
        !haveEqualSizes(listOf(own.front()))) {
      for (std::size_t member = 0; member < group.size(); ++member) {
        spread(
            work, group, group[member], [&](int rank) { return inputs[indexOf(hosted, rank)]; },
            [&](int rank) { return into[indexOf(hosted, rank)][member]; });
      }
      continue;
    }
    const auto bytes = static_cast<std::size_t>(listOf(own.front()).front().bytes);
    if (bytes == 0) continue;
    SidesOf sides;
    for (const int ncclRank : own) {
      const auto& list = listOf(ncclRank);
      const int rank = rankMap_.ranksAt(ncclRank, group).front();
      void* all = areContiguous(list) ? list.front().data : onGpu(ncclRank).allocate(bytesOf(list));
      sides[ncclRank] = {inputs[indexOf(hosted, rank)].data, all};
      auto* from = static_cast<char*>(all);
      for (const auto& block : list) {
        work.copies[ncclRank].push_back({block.data, from, block.bytes});
        from += block.bytes;
      }
    }
    addCall(work, ncclRanks, NcclConnection::of(Function::AllGather, bytes), sides,
            [&nccl = api_.nccl, bytes](const Sides& mine, ncclComm_t comm, cudaStream_t stream) {
              return nccl.allGather(mine.send, mine.receive, bytes, ncclUint8, comm, stream);
            });
  }
  run(std::move(work));
}

// ncclAlltoAll is implemented as these messages too, and requires equal sizes.
void NcclCollectives::allToAll(const GroupSet& groups, const std::vector<int>& hosted,
                               const BlockLists& inputs, const BlockLists& into) {
  const CurrentDevice::Scope scope(current_);
  auto work = beginMessages("all_to_all", groups);
  for (const auto& group : groups.groups) {
    for (std::size_t from = 0; from < group.size(); ++from) {
      for (std::size_t to = 0; to < group.size(); ++to) {
        send(
            work, group[from], group[to],
            [&](int rank) { return inputs[indexOf(hosted, rank)][to]; },
            [&](int rank) { return into[indexOf(hosted, rank)][from]; });
      }
    }
  }
  run(std::move(work));
}

void NcclCollectives::broadcast(const GroupSet& groups, const std::vector<int>& hosted, int root,
                                const Blocks& inputs, const Blocks& into) {
  const CurrentDevice::Scope scope(current_);
  auto work = beginCollective("broadcast", groups);
  for (const auto& group : groups.groups) {
    spread(
        work, group, group[static_cast<std::size_t>(root)],
        [&](int rank) { return inputs[indexOf(hosted, rank)]; },
        [&](int rank) { return into[indexOf(hosted, rank)]; });
  }
  run(std::move(work));
}

void NcclCollectives::scatter(const GroupSet& groups, const std::vector<int>& hosted, int root,
                              const BlockLists& inputs, const Blocks& into) {
  const CurrentDevice::Scope scope(current_);
  auto work = beginMessages("scatter", groups);
  for (const auto& group : groups.groups) {
    for (std::size_t to = 0; to < group.size(); ++to) {
      send(
          work, group[static_cast<std::size_t>(root)], group[to],
          [&](int rank) { return inputs[indexOf(hosted, rank)][to]; },
          [&](int rank) { return into[indexOf(hosted, rank)]; });
    }
  }
  run(std::move(work));
}

}  // namespace shardlens
