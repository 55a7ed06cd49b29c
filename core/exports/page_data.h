#pragma once

#include "core/exports/step_events.h"
#include "core/trace/journal/journal.h"

#include <nlohmann/json_fwd.hpp>

namespace shardlens {

// What the page of a recording shows of these events, for templates/page.js: the events in words,
// and for the tensors, mask buffers and cache entries that they name what these are from which
// event on. `cuts` says what is left out because a page has no room for it.
nlohmann::ordered_json pageData(const Journal& journal, EventId first, EventId last);

}  // namespace shardlens
