#pragma once

#include "core/model/event.h"

#include <string_view>

namespace shardlens {

// The number of values of Verdict.
inline constexpr int kVerdicts = 8;

// Returns the enumerator's name, "MaskMaterialized"; JSON and queries use it. These functions
// throw std::out_of_range for a value outside of the enum.
std::string_view kindName(EventKind kind);
std::string_view kindLabel(EventKind kind);            // one word for display: "cache", "mask"
std::string_view verdictName(Verdict verdict);         // "Hit"; None is empty
std::string_view collectiveName(CollectiveKind kind);  // "all_reduce"; Other is empty
std::string_view cacheName(CacheTable table);          // "strategy"; Other is empty

// Inverse of collectiveName() and cacheName(). Other for any other name.
CollectiveKind parseCollective(std::string_view name);
CacheTable parseCache(std::string_view name);

}  // namespace shardlens
