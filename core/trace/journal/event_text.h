#pragma once

#include "core/trace/journal/journal.h"

#include <string>
#include <string_view>

namespace shardlens {

inline constexpr int kVerdicts = 6;

// "MaskMaterialized": as the code, the recordings' view and JSON spell it.
std::string_view kindName(EventKind kind);
std::string_view verdictName(Verdict verdict);  // "Hit"; None is empty

// What happened, in one line: "CacheLookup strategy Miss", "Collective all_reduce 0-3 96 bytes".
std::string eventText(const Journal& journal, EventId id);

// Whether a collective has begun inside this event: whether what it stands for sends something.
bool hasCollective(const Journal& journal, EventId id);

}  // namespace shardlens
