#include "core/comm/nccl/device/comm_set.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdlib>
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
class NcclCommSet::Patience {
 public:
  explicit Patience(NcclCommSet& commSet) : commSet_(commSet) {}

  void pause() {
    const auto& reasonToStop = commSet_.surroundings_.reasonToStop;
    if (reasonToStop) {
      const auto reason = reasonToStop(std::chrono::steady_clock::now() - start_);
      if (reason) commSet_.giveUp(*reason);
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

OnDevice::OnDevice(const CudaApi& cuda, int device) : cuda_(cuda) {
  cuda_.getDevice(&before_);
  cuda_.setDevice(device);
}

OnDevice::~OnDevice() { cuda_.setDevice(before_); }

Result<std::unique_ptr<NcclCommSet>> NcclCommSet::join(const GpuApi& api, const RankMap& seating,
                                                       NcclHooks surroundings) {
  std::unique_ptr<NcclCommSet> commSet(new NcclCommSet(api, seating, std::move(surroundings)));
  try {
    commSet->initialise();
  } catch (const NcclFailed& failed) {
    return fail(failed.what());
  }
  return commSet;
}

NcclCommSet::NcclCommSet(const GpuApi& api, const RankMap& seating, NcclHooks surroundings)
    : api_(api), seating_(seating), surroundings_(std::move(surroundings)) {}

cudaStream_t NcclCommSet::computingStream(int device) const {
  return surroundings_.computingStream ? surroundings_.computingStream(device) : nullptr;
}

NcclCommSet::~NcclCommSet() {
  if (!broken_) leave();
}

ncclUniqueId NcclCommSet::agreeOnId() {
  ncclUniqueId id{};
  std::string said;
  const bool first = seating_.isOwn(0);
  if (first) {
    check(api_.nccl.getUniqueId(&id), "ncclGetUniqueId");
    said = toHex(id);
  }
  if (!surroundings_.allGatherStrings) return id;
  for (const auto& words : surroundings_.allGatherStrings(said)) {
    if (const auto heard = fromHex(words)) return *heard;
  }
  giveUp("no process gave NCCL's unique id");
}

// Used for one process and for several: ncclCommInitAll takes no configuration and would block.
void NcclCommSet::initialise() {
  const int count = static_cast<int>(seating_.seats().size());
  if (count == 1) return;
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  config.blocking = 0;
  // Set once per process: NCCL reads it when its first communicator is made.
  setenv("NCCL_MULTI_RANK_GPU_ENABLE", "1", /*overwrite=*/0);
  // The kernels of all NCCL ranks must fit on the GPU at once. Otherwise all of them wait forever.
  if (seating_.crowdsGpus()) config.maxCTAs = 16;
  const auto id = agreeOnId();
  auto& comms = comms_[seating_.all()];
  for (const int seat : seating_.own()) comms[seat] = nullptr;
  inGroup("ncclCommInitRankConfig", [&] {
    ncclResult_t worst = ncclSuccess;
    for (const int seat : seating_.own()) {
      const OnDevice device(api_.cuda,
                            seating_.seats()[static_cast<std::size_t>(seat)].place.device);
      const auto result = api_.nccl.commInitRankConfig(&comms[seat], count, id, seat, &config);
      if (result != ncclSuccess && result != ncclInProgress) worst = result;
    }
    return worst;
  });
  waitWhileInProgress(comms, "ncclCommInitRankConfig");
}

void NcclCommSet::prepare(const std::vector<std::vector<NcclRankSet>>& rounds) {
  throwIfBroken();
  for (const auto& round : rounds) {
    std::vector<NcclRankSet> unknown;
    std::copy_if(round.begin(), round.end(), std::back_inserter(unknown),
                 [&](const NcclRankSet& set) { return set.size() > 1 && !comms_.contains(set); });
    if (!unknown.empty()) split(unknown);
  }
}

// The handles of the new communicators are filled when the parent's split has completed.
void NcclCommSet::split(const std::vector<NcclRankSet>& sets) {
  const auto& parents = comms_.at(seating_.all());
  std::map<int, ncclComm_t> none;
  struct Share {
    int colour = NCCL_SPLIT_NOCOLOR;
    int key = 0;
    ncclComm_t* made;
  };
  std::map<int, Share> shares;
  for (const int seat : seating_.own()) shares[seat].made = &none[seat];
  for (std::size_t colour = 0; colour < sets.size(); ++colour) {
    auto& made = comms_[sets[colour]];
    for (std::size_t i = 0; i < sets[colour].size(); ++i) {
      const int seat = sets[colour][i];
      if (!seating_.isOwn(seat)) continue;
      made[seat] = nullptr;
      shares[seat] = {static_cast<int>(colour), static_cast<int>(i), &made[seat]};
    }
  }
  inGroup("ncclCommSplit", [&] {
    ncclResult_t worst = ncclSuccess;
    for (const auto& [seat, share] : shares) {
      const auto result =
          api_.nccl.commSplit(parents.at(seat), share.colour, share.key, share.made, nullptr);
      if (result != ncclSuccess && result != ncclInProgress) worst = result;
    }
    return worst;
  });
  waitWhileInProgress(parents, "ncclCommSplit");
  for (const auto& set : sets) {
    for (const auto& [seat, comm] : comms_.at(set)) {
      if (comm == nullptr) giveUp("ncclCommSplit: got no communicator");
    }
    waitWhileInProgress(comms_.at(set), "ncclCommSplit");
  }
}

void NcclCommSet::issue(const std::vector<std::vector<NcclRankSet>>& rounds,
                        const std::vector<NcclCall>& calls) {
  throwIfBroken();
  for (const auto& round : rounds) {
    const auto isHere = [&](const NcclCall& call) {
      return std::find(round.begin(), round.end(), call.seats) != round.end();
    };
    if (std::none_of(calls.begin(), calls.end(), isHere)) continue;
    inGroup("a group of calls", [&] {
      ncclResult_t worst = ncclSuccess;
      for (const auto& call : calls) {
        if (!isHere(call)) continue;
        for (const auto& [seat, comm] : comms_.at(call.seats)) {
          const auto result = call.make(seat, comm);
          if (result != ncclSuccess && result != ncclInProgress) worst = result;
        }
      }
      return worst;
    });
    for (const auto& set : round) {
      const auto known = comms_.find(set);
      if (known != comms_.end()) waitWhileInProgress(known->second, "a group of calls");
    }
  }
}

void NcclCommSet::inGroup(const char* function, const std::function<ncclResult_t()>& calls) {
  check(api_.nccl.groupStart(), "ncclGroupStart");
  const ncclResult_t inside = calls();
  const ncclResult_t end = api_.nccl.groupEnd();  // also after an error, because it cleans up
  check(inside, function);
  check(end, function);
}

void NcclCommSet::waitWhileInProgress(const Comms& comms, const char* function) {
  Patience patience(*this);
  for (const auto& [seat, comm] : comms) {
    while (comm != nullptr) {
      ncclResult_t state = ncclSuccess;
      check(api_.nccl.commGetAsyncError(comm, &state), "ncclCommGetAsyncError");
      check(state, function);
      if (state != ncclInProgress) break;
      patience.pause();
    }
  }
}

void NcclCommSet::waitUntil(const std::function<bool()>& done) {
  throwIfBroken();
  Patience patience(*this);
  while (!done()) {
    for (const auto& [set, comms] : comms_) {
      for (const auto& [seat, comm] : comms) {
        if (comm == nullptr) continue;
        ncclResult_t state = ncclSuccess;
        check(api_.nccl.commGetAsyncError(comm, &state), "ncclCommGetAsyncError");
        check(state, "NCCL");
      }
    }
    patience.pause();
  }
}

void NcclCommSet::check(ncclResult_t result, const char* function) {
  if (result == ncclSuccess || result == ncclInProgress) return;
  giveUp(std::string(function) + ": " + textOf(result));
}

void NcclCommSet::check(cudaError_t error, const char* function) {
  if (error == cudaSuccess) return;
  giveUp(std::string(function) + ": " + api_.cuda.getErrorString(error));
}

std::string NcclCommSet::textOf(ncclResult_t result) const {
  std::string text = api_.nccl.getErrorString(result);
  const char* last = api_.nccl.getLastError(nullptr);
  if (last != nullptr && *last != '\0') text += " (" + std::string(last) + ")";
  return text;
}

void NcclCommSet::throwIfBroken() const {
  if (broken_) throw NcclFailed(*broken_);
}

void NcclCommSet::giveUp(const std::string& why) {
  broken_ = doing_ + ": " + why;
  abort();
  throw NcclFailed(*broken_);
}

// Aborts the communicator of all NCCL ranks first, because that also ends a hanging split.
void NcclCommSet::abort() {
  const auto all = seating_.all();
  if (const auto parents = comms_.find(all); parents != comms_.end()) {
    for (const auto& [seat, comm] : parents->second) api_.nccl.commAbort(comm);
    comms_.erase(parents);
  }
  for (const auto& [set, comms] : comms_) {
    for (const auto& [seat, comm] : comms) api_.nccl.commAbort(comm);
  }
  comms_.clear();
}

// Destroys split communicators before their parent. Finalizing waits for the other processes, so it
// is started for all own NCCL ranks and polled. After 10 s all are aborted instead.
void NcclCommSet::leave() {
  const auto all = seating_.all();
  doing_ = "leaving";
  surroundings_.reasonToStop = [](auto waited) -> std::optional<std::string> {
    if (waited < std::chrono::seconds(10)) return std::nullopt;
    return "the others have not left";
  };
  const auto finish = [&](const Comms& comms) {
    for (const auto& [seat, comm] : comms) check(api_.nccl.commFinalize(comm), "ncclCommFinalize");
    waitWhileInProgress(comms, "ncclCommFinalize");
    for (const auto& [seat, comm] : comms) api_.nccl.commDestroy(comm);
  };
  try {
    while (!comms_.empty()) {
      auto next = comms_.begin();
      if (next->first == all && comms_.size() > 1) ++next;
      finish(next->second);
      comms_.erase(next);
    }
  } catch (const NcclFailed&) {  // aborted
  }
}

}  // namespace shardlens
