#include "core/comm/nccl/device/comm_set.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <string_view>

// The part of NcclCommSet that creates, splits and destroys communicators.

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
