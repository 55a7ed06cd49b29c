#include "core/comm/nccl/device/nccl_collectives.h"

#include "core/base/check.h"

#include <algorithm>
#include <utility>

namespace shardlens {
Result<std::unique_ptr<NcclCollectives>> NcclCollectives::join(const GpuApi& api,
                                                               const std::vector<GpuPlace>& places,
                                                               int process, RanksPerGpu sharing,
                                                               NcclHooks surroundings) {
  const RankMap seating(places, process, sharing);
  auto commSet = NcclCommSet::join(api, seating, std::move(surroundings));
  if (!commSet) return tl::unexpected(commSet.error());
  std::unique_ptr<NcclCollectives> ranks(new NcclCollectives(api, seating));
  ranks->commSet_ = *std::move(commSet);
  try {
    for (const int seat : seating.own()) {
      const int device = seating.seats()[static_cast<std::size_t>(seat)].place.device;
      ranks->streams_[seat] =
          std::make_unique<CommStream>(ranks->api_.cuda, *ranks->commSet_, device);
    }
  } catch (const NcclFailed& failed) {
    return fail(failed.what());
  }
  return ranks;
}

NcclCollectives::NcclCollectives(const GpuApi& api, RankMap seating)
    : api_(api), seating_(std::move(seating)) {}

// Waits first, so that streams and memory are freed only when unused.
NcclCollectives::~NcclCollectives() {
  if (commSet_ == nullptr) return;
  try {
    wait();
  } catch (const NcclFailed&) {  // aborted
  }
  commSet_ = nullptr;
}

std::size_t NcclCollectives::placeOf(const std::vector<int>& ranks, int rank) {
  const auto found = std::find(ranks.begin(), ranks.end(), rank);
  SL_CHECK(found != ranks.end(), "a group's ranks are those whose blocks are given");
  return static_cast<std::size_t>(found - ranks.begin());
}

int NcclCollectives::device(int rank) const {
  return seating_.seats()[static_cast<std::size_t>(seating_.seatOf(rank))].place.device;
}

std::vector<int> NcclCollectives::ownSeatsOf(const Group& group) const {
  auto seats = seating_.seatsOf(group);
  seats.erase(
      std::remove_if(seats.begin(), seats.end(), [&](int seat) { return !seating_.isOwn(seat); }),
      seats.end());
  return seats;
}

bool NcclCollectives::isInSeatOrder(const Group& group) const {
  return std::is_sorted(
             group.begin(), group.end(),
             [&](int one, int other) { return seating_.seatOf(one) < seating_.seatOf(other); }) &&
         seating_.seatsOf(group).size() == group.size();
}

NcclCollectives::Work NcclCollectives::begin(const std::string& name, const GroupSet& groups) {
  wait();
  std::vector<NcclRankSet> sets;
  for (const auto& group : groups.groups) {
    auto seats = seating_.seatsOf(group);
    if (seats.size() > 1) sets.push_back(std::move(seats));
  }
  commSet_->setDoing(name + (groups.axis.empty() ? "" : " over " + groups.axis));
  for (auto& [seat, commStream] : streams_) commStream->takeBackAll();
  Work work;
  work.rounds = inRounds(sets);
  commSet_->prepare(work.rounds);
  for (auto& [seat, commStream] : streams_) commStream->begin();
  return work;
}

NcclCollectives::Work NcclCollectives::beginMessages(const std::string& name,
                                                     const GroupSet& groups) {
  auto work = begin(name, {groups.axis, groups.meshDim, {}});
  work.rounds = {{seating_.all()}};
  return work;
}

void NcclCollectives::run(Work work) {
  if (!work.calls.empty()) {
    for (auto& [seat, commStream] : streams_) commStream->open();
    commSet_->issue(work.rounds, work.calls);
    for (auto& [seat, commStream] : streams_) commStream->close();
  }
  last_ = std::move(work);
}

void NcclCollectives::wait() {
  if (!last_) return;
  const auto work = *std::exchange(last_, std::nullopt);
  if (!work.calls.empty()) {
    for (auto& [seat, commStream] : streams_) commStream->join();
  }
  for (const auto& step : work.after) step();
  for (auto& [seat, commStream] : streams_) commStream->end();
}

void NcclCollectives::waitForNccl() {
  const auto isClosed = [](const auto& each) { return each.second->isClosed(); };
  commSet_->waitUntil([&] { return std::all_of(streams_.begin(), streams_.end(), isClosed); });
}

double NcclCollectives::synchronize() {
  wait();
  const auto isDone = [](const auto& each) { return each.second->isDone(); };
  commSet_->waitUntil([&] { return std::all_of(streams_.begin(), streams_.end(), isDone); });
  double longest = 0;
  for (const auto& [seat, commStream] : streams_)
    longest = std::max(longest, commStream->seconds());
  return longest;
}

void NcclCollectives::copyAfter(Work& work, int seat, void* to, const void* from,
                                std::int64_t bytes) {
  if (to == from || bytes == 0) return;
  work.after.emplace_back(
      [this, seat, to, from, bytes] { commStream(seat).copy(to, from, bytes); });
}

void NcclCollectives::spread(Work& work, const Group& group, int from, const Choice& source,
                             const Choice& into) {
  const auto seats = seating_.seatsOf(group);
  const int sender = seating_.seatOf(from);
  SidesOf sides;
  std::int64_t bytes = 0;
  for (const int seat : ownSeatsOf(group)) {
    const auto here = seating_.ranksAt(seat, group);
    const auto first = into(here.front());
    bytes = first.bytes;
    const void* sent = seat == sender ? source(from).data : first.data;
    if (seats.size() > 1) sides[seat] = {sent, first.data};
    for (const int rank : here) {
      copyAfter(work, seat, into(rank).data, seats.size() > 1 ? first.data : sent, bytes);
    }
  }
  if (!sides.empty()) broadcastAmong(work, seats, sender, sides, bytes);
}

void NcclCollectives::broadcastAmong(Work& work, const NcclRankSet& seats, int sender,
                                     const SidesOf& sides, std::int64_t bytes) {
  if (seats.size() == 1 || bytes == 0) return;
  const auto root = std::lower_bound(seats.begin(), seats.end(), sender) - seats.begin();
  addCall(work, seats, sides,
          [&nccl = api_.nccl, items = static_cast<std::size_t>(bytes),
           root = static_cast<int>(root)](const Sides& mine, ncclComm_t comm, cudaStream_t stream) {
            return nccl.broadcast(mine.send, mine.receive, items, ncclUint8, root, comm, stream);
          });
}

void NcclCollectives::addCall(Work& work, const NcclRankSet& seats, SidesOf sides,
                              const Maker& make) {
  work.calls.push_back({seats, [this, sides = std::move(sides), make](int seat, ncclComm_t comm) {
                          return make(sides.at(seat), comm, commStream(seat).stream());
                        }});
}

void NcclCollectives::send(Work& work, int from, int to, const Choice& source, const Choice& into) {
  const int sender = seating_.seatOf(from);
  const int receiver = seating_.seatOf(to);
  if (sender == receiver) {
    if (!seating_.isOwn(sender)) return;
    const auto block = source(from);
    return copyAfter(work, sender, into(to).data, block.data, block.bytes);
  }
  const DeviceBlock sent = seating_.isOwn(sender) ? source(from) : DeviceBlock{};
  const DeviceBlock received = seating_.isOwn(receiver) ? into(to) : DeviceBlock{};
  const auto bytes = static_cast<std::size_t>(std::max(sent.bytes, received.bytes));
  if (bytes == 0) return;
  const auto call = [this, sender, receiver, sent, received, bytes](int seat, ncclComm_t comm) {
    if (seat == sender) {
      return api_.nccl.send(sent.data, bytes, ncclUint8, receiver, comm, commStream(seat).stream());
    }
    if (seat == receiver) {
      return api_.nccl.recv(received.data, bytes, ncclUint8, sender, comm,
                            commStream(seat).stream());
    }
    return ncclSuccess;
  };
  work.calls.push_back({seating_.all(), call});
}

void NcclCollectives::allGather(const GroupSet& groups, const std::vector<int>& hosted,
                                const Blocks& inputs, const BlockLists& into) {
  auto work = begin("all_gather", groups);
  for (const auto& group : groups.groups) {
    const auto own = ownSeatsOf(group);
    if (own.empty()) continue;
    const auto listOf = [&](int seat) -> const Blocks& {
      return into[placeOf(hosted, seating_.ranksAt(seat, group).front())];
    };
    const auto seats = seating_.seatsOf(group);
    if (seats.size() == 1 || !isInSeatOrder(group) || !areEquallyLong(listOf(own.front()))) {
      for (std::size_t member = 0; member < group.size(); ++member) {
        spread(
            work, group, group[member], [&](int rank) { return inputs[placeOf(hosted, rank)]; },
            [&](int rank) { return into[placeOf(hosted, rank)][member]; });
      }
      continue;
    }
    const auto bytes = static_cast<std::size_t>(listOf(own.front()).front().bytes);
    if (bytes == 0) continue;
    SidesOf sides;
    for (const int seat : own) {
      const auto& list = listOf(seat);
      const int rank = seating_.ranksAt(seat, group).front();
      void* all = lieSideBySide(list) ? list.front().data : commStream(seat).take(bytesOf(list));
      sides[seat] = {inputs[placeOf(hosted, rank)].data, all};
      auto* from = static_cast<char*>(all);
      for (const auto& block : list) {
        copyAfter(work, seat, block.data, from, block.bytes);
        from += block.bytes;
      }
    }
    addCall(work, seats, sides,
            [&nccl = api_.nccl, bytes](const Sides& mine, ncclComm_t comm, cudaStream_t stream) {
              return nccl.allGather(mine.send, mine.receive, bytes, ncclUint8, comm, stream);
            });
  }
  run(std::move(work));
}

// ncclAlltoAll is implemented as these messages too, and requires equal sizes.
void NcclCollectives::allToAll(const GroupSet& groups, const std::vector<int>& hosted,
                               const BlockLists& inputs, const BlockLists& into) {
  auto work = beginMessages("all_to_all", groups);
  for (const auto& group : groups.groups) {
    for (std::size_t from = 0; from < group.size(); ++from) {
      for (std::size_t to = 0; to < group.size(); ++to) {
        send(
            work, group[from], group[to],
            [&](int rank) { return inputs[placeOf(hosted, rank)][to]; },
            [&](int rank) { return into[placeOf(hosted, rank)][from]; });
      }
    }
  }
  run(std::move(work));
}

void NcclCollectives::broadcast(const GroupSet& groups, const std::vector<int>& hosted, int root,
                                const Blocks& inputs, const Blocks& into) {
  auto work = begin("broadcast", groups);
  for (const auto& group : groups.groups) {
    spread(
        work, group, group[static_cast<std::size_t>(root)],
        [&](int rank) { return inputs[placeOf(hosted, rank)]; },
        [&](int rank) { return into[placeOf(hosted, rank)]; });
  }
  run(std::move(work));
}

void NcclCollectives::scatter(const GroupSet& groups, const std::vector<int>& hosted, int root,
                              const BlockLists& inputs, const Blocks& into) {
  auto work = beginMessages("scatter", groups);
  for (const auto& group : groups.groups) {
    for (std::size_t to = 0; to < group.size(); ++to) {
      send(
          work, group[static_cast<std::size_t>(root)], group[to],
          [&](int rank) { return inputs[placeOf(hosted, rank)][to]; },
          [&](int rank) { return into[placeOf(hosted, rank)]; });
    }
  }
  run(std::move(work));
}

}  // namespace shardlens
