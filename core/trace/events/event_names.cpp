#include "core/trace/events/event_names.h"

#include <algorithm>
#include <array>

namespace shardlens {

namespace {

constexpr std::array<std::string_view, kEventKinds> kKindNames = {
    "Step",       "Operator",         "CacheLookup", "Candidates",   "Redistribute", "Plan",
    "Collective", "MaskMaterialized", "MaskApplied", "MaskReleased", "Compute",      "Result",
    "Error",      "CacheEvicted",     "Check"};

constexpr std::array<std::string_view, kEventKinds> kKindLabels = {
    "step", "operator", "cache",   "strategy", "redistribute", "plan",  "collective", "mask",
    "mask", "mask",     "compute", "result",   "error",        "cache", "check"};

constexpr std::array<std::string_view, kVerdicts> kVerdictNames = {
    "", "Hit", "Miss", "Off", "Implicit", "Explicit", "Same", "Differs"};

constexpr std::array<std::string_view, kCollectiveKinds> kCollectiveNames = {
    "",       "all_gather",    "all_reduce", "all_to_all",     "barrier", "broadcast",
    "gather", "halo_exchange", "reduce",     "reduce_scatter", "scatter"};

constexpr std::array<std::string_view, kCacheTables> kCacheNames = {"", "strategy", "plan"};

// Returns the enumerator of this name, or the first one, Other.
template <class Enum, std::size_t kSize>
Enum parsed(const std::array<std::string_view, kSize>& names, std::string_view name) {
  const auto found = std::find(names.begin(), names.end(), name);
  return found == names.end() ? Enum{} : static_cast<Enum>(found - names.begin());
}

}  // namespace

std::string_view kindName(EventKind kind) { return kKindNames.at(static_cast<std::size_t>(kind)); }

std::string_view kindLabel(EventKind kind) {
  return kKindLabels.at(static_cast<std::size_t>(kind));
}

std::string_view verdictName(Verdict verdict) {
  return kVerdictNames.at(static_cast<std::size_t>(verdict));
}

std::string_view collectiveName(CollectiveKind kind) {
  return kCollectiveNames.at(static_cast<std::size_t>(kind));
}

std::string_view cacheName(CacheTable table) {
  return kCacheNames.at(static_cast<std::size_t>(table));
}

CollectiveKind parseCollective(std::string_view name) {
  return parsed<CollectiveKind>(kCollectiveNames, name);
}

CacheTable parseCache(std::string_view name) { return parsed<CacheTable>(kCacheNames, name); }

}  // namespace shardlens
