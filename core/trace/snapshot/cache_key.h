#pragma once

#include "core/trace/journal/journal.h"

#include <string>

namespace shardlens {

// What the question reads like that this entry of a cache answers, known by the miss that made it;
// empty where the recording does not say.
std::string cacheKey(const Journal& journal, EventId made);

}  // namespace shardlens
