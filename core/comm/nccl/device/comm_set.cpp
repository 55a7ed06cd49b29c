#include "core/comm/nccl/device/comm_set.h"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <future>
#include <string_view>
#include <thread>

namespace shardlens {
namespace {

std::string toHex(const ncclUniqueId& id) {
  std::string text;
  for (const char c : id.internal) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    const auto byte = static_cast<unsigned char>(c);
    text += kDigits[byte / 16];
    text += kDigits[byte % 16];
  }
  return text;
}

std::optional<ncclUniqueId> fromHex(const std::string& text) {
  ncclUniqueId id{};
  if (text.size() != 2 * sizeof(id.internal)) return std::nullopt;
  for (std::size_t i = 0; i < sizeof(id.internal); ++i) {
    unsigned char byte = 0;
    const char* const begin = text.data() + 2 * i;
    if (std::from_chars(begin, begin + 2, byte, 16).ptr != begin + 2) return std::nullopt;
    id.internal[i] = static_cast<char>(byte);
  }
  return id;
}

}  // namespace

// Paces one wait for NCCL: yields at first, then sleeps 50 us a turn. Most NCCL calls complete at
// once; a large transfer takes milliseconds.
class NcclCommSet::Poll {
 public:
  explicit Poll(NcclCommSet& commSet) : commSet_(commSet) {}

  void pause() {
    const auto& reasonToStop = commSet_.hooks_.reasonToStop;
    if (reasonToStop) {
      const auto reason = reasonToStop(std::chrono::steady_clock::now() - start_);
      if (reason) commSet_.abortWith(*reason);
    }
    constexpr int kShortOnes = 2000;
    if (++count_ < kShortOnes) return std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  }

 private:
  NcclCommSet& commSet_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  int count_ = 0;
};

Result<std::unique_ptr<NcclCommSet>> NcclCommSet::join(const GpuApi& api, const RankMap& rankMap,
                                                       NcclHooks hooks) {
  std::unique_ptr<NcclCommSet> commSet(new NcclCommSet(api, rankMap, std::move(hooks)));
  try {
    commSet->initialise();
  } catch (const NcclFailed& failed) {
    return fail(failed.what());
  }
  return commSet;
}

NcclCommSet::NcclCommSet(const GpuApi& api, const RankMap& rankMap, NcclHooks hooks)
    : api_(api), rankMap_(rankMap), hooks_(std::move(hooks)) {}

cudaStream_t NcclCommSet::computingStream(int device) const {
  return hooks_.computingStream ? hooks_.computingStream(device) : nullptr;
}

NcclCommSet::~NcclCommSet() {
  if (!failure_) leave();
}

ncclUniqueId NcclCommSet::agreeOnId() {
  ncclUniqueId id{};
  std::string mine;
  const bool first = rankMap_.isOwn(0);
  if (first) {
    check(api_.nccl.getUniqueId(&id), "ncclGetUniqueId");
    mine = toHex(id);
  }
  if (!hooks_.allGatherStrings) return id;
  for (const auto& text : hooks_.allGatherStrings(mine)) {
    if (const auto received = fromHex(text)) return *received;
  }
  abortWith("no process sent NCCL's unique id");
}

// Used for one process and for several: ncclCommInitAll takes no configuration and would block.
void NcclCommSet::initialise() {
  const int count = static_cast<int>(rankMap_.ncclRanks().size());
  if (count == 1) return;
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  config.blocking = 0;
  const auto id = agreeOnId();
  for (const int ncclRank : rankMap_.own()) parents_[ncclRank] = nullptr;
  const auto result = inGroup([&] {
    ncclResult_t worst = ncclSuccess;
    for (const int ncclRank : rankMap_.own()) {
      const OnDevice device(api_.cuda,
                            rankMap_.ncclRanks()[static_cast<std::size_t>(ncclRank)].place.device);
      const auto each =
          api_.nccl.commInitRankConfig(&parents_[ncclRank], count, id, ncclRank, &config);
      if (each != ncclSuccess && each != ncclInProgress) worst = each;
    }
    return worst;
  });
  check(result, "ncclCommInitRankConfig");
  waitWhileInProgress(parents_, "ncclCommInitRankConfig");
}

void NcclCommSet::prepare(const std::vector<std::vector<NcclRankSet>>& batches) {
  throwIfFailed();
  for (const auto& batch : batches) {
    std::vector<NcclRankSet> unknown;
    std::copy_if(batch.begin(), batch.end(), std::back_inserter(unknown),
                 [&](const NcclRankSet& set) { return set.size() > 1 && !comms_.contains(set); });
    if (!unknown.empty()) split(unknown);
  }
}

// The handles of the new communicators are filled when the parent's split has completed.
void NcclCommSet::split(const std::vector<NcclRankSet>& sets) {
  std::map<int, ncclComm_t> none;
  struct Share {
    int colour = NCCL_SPLIT_NOCOLOR;
    int key = 0;
    ncclComm_t* made;
  };
  std::map<int, Share> shares;
  for (const int ncclRank : rankMap_.own()) shares[ncclRank].made = &none[ncclRank];
  for (std::size_t colour = 0; colour < sets.size(); ++colour) {
    auto& made = comms_[sets[colour]];
    for (std::size_t i = 0; i < sets[colour].size(); ++i) {
      const int ncclRank = sets[colour][i];
      if (!rankMap_.isOwn(ncclRank)) continue;
      made[ncclRank] = nullptr;
      shares[ncclRank] = {static_cast<int>(colour), static_cast<int>(i), &made[ncclRank]};
    }
  }
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  config.blocking = 1;
  const auto result = inGroup([&] {
    ncclResult_t worst = ncclSuccess;
    for (const auto& [ncclRank, share] : shares) {
      const auto each =
          api_.nccl.commSplit(parents_.at(ncclRank), share.colour, share.key, share.made, &config);
      if (each != ncclSuccess && each != ncclInProgress) worst = each;
    }
    return worst;
  });
  check(result, "ncclCommSplit");
  waitWhileInProgress(parents_, "ncclCommSplit");
  for (const auto& set : sets) {
    for (const auto& [ncclRank, comm] : comms_.at(set)) {
      if (comm == nullptr) abortWith("ncclCommSplit: got no communicator");
    }
    waitWhileInProgress(comms_.at(set), "ncclCommSplit");
  }
}

void NcclCommSet::issue(const std::vector<std::vector<NcclRankSet>>& batches,
                        const std::vector<NcclCall>& calls) {
  throwIfFailed();
  constexpr const char* kFunction = "a group of calls";
  struct Made {
    const NcclCall* call;
    int ncclRank;
    ncclComm_t comm;
  };
  for (const auto& batch : batches) {
    std::vector<Made> all;
    bool connects = false;
    for (const auto& call : calls) {
      if (std::find(batch.begin(), batch.end(), call.ncclRanks) == batch.end()) continue;
      for (const auto& [ncclRank, comm] : comms_.at(call.ncclRanks)) {
        all.push_back({&call, ncclRank, comm});
      }
      connects = connected_.insert({call.ncclRanks, call.connects}).second || connects;
    }
    if (all.empty()) continue;
    const auto make = [&] {
      ncclResult_t worst = ncclSuccess;
      for (const auto& [call, ncclRank, comm] : all) {
        const auto result = call->make(ncclRank, comm);
        if (result != ncclSuccess) worst = result;
      }
      return worst;
    };
    if (!connects) {
      check(inGroup(make), kFunction);
      continue;
    }
    ncclResult_t inside = ncclSuccess;
    const auto queue = [&] {
      const auto start = api_.nccl.groupStart();
      inside = start == ncclSuccess ? make() : start;
      return start;
    };
    runWatched(kFunction, queue, api_.nccl.groupEnd);
    check(inside, kFunction);
  }
}

ncclResult_t NcclCommSet::inGroup(const std::function<ncclResult_t()>& calls) const {
  const ncclResult_t start = api_.nccl.groupStart();
  if (start != ncclSuccess) return start;
  const ncclResult_t inside = calls();
  const ncclResult_t end = api_.nccl.groupEnd();  // also after an error, because it cleans up
  return inside != ncclSuccess && inside != ncclInProgress ? inside : end;
}

// If a hook stops the wait, ncclCommAbort ends the call that blocks, and the future's destructor
// joins its thread. The thread uses an own GPU, because CUDA creates a context on the current one.
void NcclCommSet::runWatched(const char* function, const std::function<ncclResult_t()>& queue,
                             const std::function<ncclResult_t()>& block) {
  constexpr std::chrono::milliseconds kMostCalls(10);
  std::atomic<bool> isQueued = false;
  auto result = std::async(std::launch::async, [&] {
    const auto own = static_cast<std::size_t>(rankMap_.own().front());
    api_.cuda.setDevice(rankMap_.ncclRanks()[own].place.device);
    const auto first = queue();
    isQueued = true;
    return first == ncclSuccess ? block() : first;
  });
  const auto isReady = [&](std::chrono::milliseconds patience) {
    return result.wait_for(patience) == std::future_status::ready;
  };
  while (!isQueued && !isReady(std::chrono::milliseconds(0))) std::this_thread::yield();
  if (!isReady(kMostCalls)) {
    Poll poll(*this);
    while (!isReady(std::chrono::milliseconds(0))) poll.pause();
  }
  check(result.get(), function);
}

void NcclCommSet::waitWhileInProgress(const Comms& comms, const char* function) {
  Poll poll(*this);
  for (const auto& [ncclRank, comm] : comms) {
    while (comm != nullptr) {
      ncclResult_t state = ncclSuccess;
      check(api_.nccl.commGetAsyncError(comm, &state), "ncclCommGetAsyncError");
      check(state, function);
      if (state != ncclInProgress) break;
      poll.pause();
    }
  }
}

void NcclCommSet::waitUntil(const std::function<bool()>& done) {
  throwIfFailed();
  Poll poll(*this);
  while (!done()) {
    checkAsync(parents_);
    for (const auto& [set, comms] : comms_) checkAsync(comms);
    poll.pause();
  }
}

void NcclCommSet::checkAsync(const Comms& comms) {
  for (const auto& [ncclRank, comm] : comms) {
    if (comm == nullptr) continue;
    ncclResult_t state = ncclSuccess;
    check(api_.nccl.commGetAsyncError(comm, &state), "ncclCommGetAsyncError");
    check(state, "NCCL");
  }
}

void NcclCommSet::check(ncclResult_t result, const char* function) {
  if (result == ncclSuccess || result == ncclInProgress) return;
  abortWith(std::string(function) + ": " + textOf(result));
}

void NcclCommSet::check(cudaError_t error, const char* function) {
  if (error == cudaSuccess) return;
  abortWith(std::string(function) + ": " + api_.cuda.getErrorString(error));
}

std::string NcclCommSet::textOf(ncclResult_t result) const {
  std::string text = api_.nccl.getErrorString(result);
  const char* last = api_.nccl.getLastError(nullptr);
  if (last != nullptr && *last != '\0') text += " (" + std::string(last) + ")";
  return text;
}

void NcclCommSet::throwIfFailed() const {
  if (failure_) throw NcclFailed(*failure_);
}

void NcclCommSet::abortWith(const std::string& why) {
  failure_ = operation_ + ": " + why;
  abort();
  throw NcclFailed(*failure_);
}

// Aborts the parent first, because that also ends a hanging split.
void NcclCommSet::abort() {
  for (const auto& [ncclRank, comm] : parents_) api_.nccl.commAbort(comm);
  for (const auto& [set, comms] : comms_) {
    for (const auto& [ncclRank, comm] : comms) api_.nccl.commAbort(comm);
  }
  parents_.clear();
  comms_.clear();
}

// Destroys split communicators before their parent. Finalizing waits for the other processes. After
// 10 s all communicators are aborted instead.
void NcclCommSet::leave() {
  operation_ = "leaving";
  hooks_.reasonToStop = [](auto waited) -> std::optional<std::string> {
    if (waited < std::chrono::seconds(10)) return std::nullopt;
    return "the other processes have not left";
  };
  try {
    for (const auto& [set, comms] : comms_) {
      for (const auto& [ncclRank, comm] : comms) {
        runWatched(
            "ncclCommFinalize", [] { return ncclSuccess; },
            [&, comm = comm] { return api_.nccl.commFinalize(comm); });
      }
    }
    for (const auto& [set, comms] : comms_) {
      for (const auto& [ncclRank, comm] : comms) api_.nccl.commDestroy(comm);
    }
    comms_.clear();
    for (const auto& [ncclRank, comm] : parents_) {
      check(api_.nccl.commFinalize(comm), "ncclCommFinalize");
    }
    waitWhileInProgress(parents_, "ncclCommFinalize");
    for (const auto& [ncclRank, comm] : parents_) api_.nccl.commDestroy(comm);
    parents_.clear();
  } catch (const NcclFailed&) {  // aborted
  }
}

}  // namespace shardlens
