#pragma once

#include "core/exports/step_events.h"
#include "core/trace/journal/journal.h"
#include "core/view/words/placement_words.h"

#include <nlohmann/json_fwd.hpp>

namespace shardlens {

// Returns the data that templates/page.js shows for the events first..last: the events in words,
// and the versions of the tensors, mask buffers and cache entries that they name. Each version has
// the event from which it is valid. At most 4000 events and about 400,000 elements are included;
// "omissions" lists what was left out.
nlohmann::ordered_json pageData(const Journal& journal, EventId first, EventId last,
                                view::Notation notation = view::Notation::DTensor);

}  // namespace shardlens
