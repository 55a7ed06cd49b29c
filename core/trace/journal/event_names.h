#pragma once

#include "core/model/event.h"

#include <string_view>

namespace shardlens {

inline constexpr int kVerdicts = 8;

// "MaskMaterialized": as the code, the recordings' view and JSON spell it.
std::string_view kindName(EventKind kind);
std::string_view kindLabel(EventKind kind);     // in a word: "cache", "mask"
std::string_view verdictName(Verdict verdict);  // "Hit"; None is empty

}  // namespace shardlens
