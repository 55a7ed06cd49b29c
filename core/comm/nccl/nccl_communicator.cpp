#include "core/comm/nccl/nccl_communicator.h"

#include "core/cluster/processes.h"
#include "core/comm/nccl/call_streams.h"
#include "core/comm/nccl/device/nccl_collectives.h"
#include "core/comm/nccl/packing.h"
#include "core/memory/reduce.h"
#include "core/model/ranks_text.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <utility>

namespace shardlens {
namespace {

std::optional<ncclDataType_t> ncclTypeOf(at::ScalarType type) {
  switch (type) {
    case at::kHalf:
      return ncclFloat16;
    case at::kBFloat16:
      return ncclBfloat16;
    case at::kFloat:
      return ncclFloat32;
    case at::kDouble:
      return ncclFloat64;
    case at::kByte:
      return ncclUint8;
    case at::kChar:
      return ncclInt8;
    case at::kInt:
      return ncclInt32;
    case at::kLong:
      return ncclInt64;
    default:
      return std::nullopt;
  }
}

at::Tensor tensorAt(const void* data, std::int64_t count, const at::TensorOptions& options) {
  const std::int64_t shape[] = {count};
  return at::for_blob(const_cast<void*>(data), shape)
      .options(options)
      .target_device(options.device())
      .make_tensor();
}

BlockReduction reductionOf(at::ScalarType type, at::DeviceType deviceType, Reduction reduction) {
  const auto local = [type, deviceType](int device, const std::vector<const void*>& addends,
                                        const std::vector<void*>& outputs, std::int64_t count,
                                        Reduction how) {
    const auto options = at::TensorOptions(type).device(
        deviceType == at::kCPU ? at::Device(at::kCPU)
                               : at::Device(deviceType, static_cast<at::DeviceIndex>(device)));
    Terms reduction;
    for (const void* addend : addends) reduction.terms.push_back(tensorAt(addend, count, options));
    for (void* output : outputs) reduction.outputs.push_back(tensorAt(output, count, options));
    reduceAll({reduction}, how);
  };
  return {reduction, static_cast<std::int64_t>(c10::elementSize(type)), ncclTypeOf(type), local};
}

// Rethrows NcclFailed as RankLost with the ranks in its text.
template <class Call>
void namingRanks(const std::string& ranks, Call call) {
  try {
    call();
  } catch (const NcclFailed& failed) {
    throw RankLost(std::string(failed.what()) + " (ranks " + ranks + ")");
  }
}

}  // namespace

// The running asynchronous collective and the memory that it uses until wait(). Shared by all
// communicators from over().
class NcclCommunicator::AsyncCollective {
 public:
  explicit AsyncCollective(std::shared_ptr<NcclCollectives> ranks) : ranks_(std::move(ranks)) {}
  ~AsyncCollective() {
    try {
      wait();
    } catch (const std::exception&) {  // NCCL has been aborted, or a GPU has failed
    }
  }
  AsyncCollective(const AsyncCollective&) = delete;
  AsyncCollective& operator=(const AsyncCollective&) = delete;

  std::uint64_t makeNextAsync() {
    next_ = ++last_;
    return next_;
  }
  // Returns the number of the collective that begins now, and resets it. 0 if that collective is
  // synchronous.
  std::uint64_t takeNext() { return std::exchange(next_, 0); }

  void set(std::uint64_t number, Packing packing, CallStreams streams, std::string ranks) {
    number_ = number;
    memory_ = {std::move(packing), std::move(streams)};
    rankNames_ = std::move(ranks);
    isChecked_ = false;
  }
  void wait(std::uint64_t number) {
    if (number == number_) wait();
  }
  void wait() {
    if (!memory_) return;
    const auto [packing, streams] = *std::exchange(memory_, std::nullopt);
    number_ = 0;
    streams.queue([&, &packed = packing] {
      namingRanks(rankNames_, [&] { ranks_->wait(); });
      packed.unpack();
    });
  }
  // Waits for the collective to end on the GPUs. Throws its error as RankLost. Does nothing on a
  // second call.
  void check() {
    wait();
    if (std::exchange(isChecked_, true)) return;
    namingRanks(rankNames_, [&] { ranks_->waitForNccl(); });
  }

 private:
  std::shared_ptr<NcclCollectives> ranks_;
  std::uint64_t last_ = 0;
  std::uint64_t next_ = 0;
  std::uint64_t number_ = 0;
  std::optional<std::pair<Packing, CallStreams>> memory_;
  std::string rankNames_;
  bool isChecked_ = true;
};

NcclCommunicator::NcclCommunicator(std::shared_ptr<NcclCollectives> ranks, at::DeviceType type,
                                   std::vector<int> hosted, std::shared_ptr<Processes> processes)
    : ranks_(std::move(ranks)),
      type_(type),
      hosted_(std::move(hosted)),
      processes_(std::move(processes)),
      async_(std::make_shared<AsyncCollective>(ranks_)) {}

at::Device NcclCommunicator::device(int rank) const {
  if (type_ == at::kCPU) return at::kCPU;
  return {type_, static_cast<at::DeviceIndex>(ranks_->device(rank))};
}

std::unique_ptr<Communicator> NcclCommunicator::over(const std::vector<int>& ranks) const {
  std::vector<int> hosted;
  for (const int rank : hosted_) {
    if (std::find(ranks.begin(), ranks.end(), rank) != ranks.end()) hosted.push_back(rank);
  }
  auto some = std::make_unique<NcclCommunicator>(ranks_, type_, std::move(hosted), processes_);
  some->async_ = async_;
  return some;
}

std::uint64_t NcclCommunicator::makeNextAsync() {
  return processes_ == nullptr ? async_->makeNextAsync() : 0;
}

void NcclCommunicator::wait() { async_->wait(); }

void NcclCommunicator::wait(std::uint64_t number) { async_->wait(number); }

std::vector<std::string> NcclCommunicator::allGatherStrings(const std::string& mine) {
  async_->check();
  if (processes_ == nullptr) return {mine};
  return processes_->allGatherStrings("an operator's words", mine);
}

bool NcclCommunicator::hasPart(int process, const GroupSet& groups) const {
  const auto& rankMap = ranks_->rankMap();
  const auto isThere = [&](int rank) {
    const auto ncclRank = static_cast<std::size_t>(rankMap.ncclRankOf(rank));
    return rankMap.ncclRanks()[ncclRank].place.process == process;
  };
  const auto isHere = [&](int rank) { return rankMap.isOwn(rankMap.ncclRankOf(rank)); };
  return std::any_of(groups.groups.begin(), groups.groups.end(), [&](const auto& group) {
    return std::any_of(group.begin(), group.end(), isThere) &&
           std::any_of(group.begin(), group.end(), isHere);
  });
}

template <class Call>
void NcclCommunicator::runCollective(const char* collective, const GroupSet& groups, Call call) {
  const auto number = async_->takeNext();
  async_->check();
  std::vector<at::Device> devices;
  for (const int rank : hosted_) devices.push_back(device(rank));
  const CallStreams streams(devices);
  Packing packing(std::move(devices));
  const auto run = [&] {
    ranks_->setOverlaps(number != 0);
    call(packing);
    if (number == 0 && ranks_->usedNccl()) ranks_->synchronize();
  };
  if (processes_ != nullptr) {
    const int next = (processes_->process() + 1) % processes_->processes();
    processes_->runCollective(Purpose::among(collective, groups), hasPart(next, groups), run);
  } else {
    namingRanks(ranksText(groups.groups), run);
  }
  if (number != 0)
    return async_->set(number, std::move(packing), streams, ranksText(groups.groups));
  packing.unpack();
}

void NcclCommunicator::allReduce(const GroupSet& groups, const Buffers& inputs, const Buffers& into,
                                 Reduction reduction) {
  runCollective("all_reduce", groups, [&](Packing& packing) {
    const auto type = into.empty() ? at::kFloat : into.front().scalar_type();
    ranks_->allReduce(groups, hosted_, packing.sent(inputs), packing.received(into),
                      reductionOf(type, type_, reduction));
  });
}

void NcclCommunicator::allGather(const GroupSet& groups, const Buffers& inputs,
                                 const BufferLists& into) {
  runCollective("all_gather", groups, [&](Packing& packing) {
    ranks_->allGather(groups, hosted_, packing.sent(inputs), packing.received(into));
  });
}

void NcclCommunicator::reduceScatter(const GroupSet& groups, const BufferLists& inputs,
                                     const Buffers& into, Reduction reduction) {
  runCollective("reduce_scatter", groups, [&](Packing& packing) {
    const auto type = into.empty() ? at::kFloat : into.front().scalar_type();
    ranks_->reduceScatter(groups, hosted_, packing.sent(inputs), packing.received(into),
                          reductionOf(type, type_, reduction));
  });
}

void NcclCommunicator::allToAll(const GroupSet& groups, const BufferLists& inputs,
                                const BufferLists& into) {
  runCollective("all_to_all", groups, [&](Packing& packing) {
    ranks_->allToAll(groups, hosted_, packing.sent(inputs), packing.received(into));
  });
}

void NcclCommunicator::broadcast(const GroupSet& groups, int root, const Buffers& inputs,
                                 const Buffers& into) {
  runCollective("broadcast", groups, [&](Packing& packing) {
    ranks_->broadcast(groups, hosted_, root, packing.sent(inputs), packing.received(into));
  });
}

void NcclCommunicator::scatter(const GroupSet& groups, int root, const BufferLists& inputs,
                               const Buffers& into) {
  runCollective("scatter", groups, [&](Packing& packing) {
    ranks_->scatter(groups, hosted_, root, packing.sent(inputs), packing.received(into));
  });
}

}  // namespace shardlens
