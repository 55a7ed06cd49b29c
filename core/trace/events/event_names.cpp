#include "core/trace/events/event_names.h"

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

}  // namespace

std::string_view kindName(EventKind kind) { return kKindNames.at(static_cast<std::size_t>(kind)); }

std::string_view kindLabel(EventKind kind) {
  return kKindLabels.at(static_cast<std::size_t>(kind));
}

std::string_view verdictName(Verdict verdict) {
  return kVerdictNames.at(static_cast<std::size_t>(verdict));
}

}  // namespace shardlens
