#pragma once

#include "core/base/result.h"
#include "core/trace/journal/journal.h"

#include <iosfwd>
#include <optional>

namespace shardlens {

// Writes a recording, or one step of it, as one HTML file that steps through it in a browser: the
// program, the events, each rank's shards, the mask buffers and the caches at any position. It
// needs no network and loads nothing. Of a long recording it has the beginning, and says so.
// Refuses a step that the recording does not have, and a recording without events.
Result<void> writeHtmlPage(const Journal& journal, std::optional<int> step, std::ostream& out);

}  // namespace shardlens
