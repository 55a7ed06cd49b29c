#pragma once

#include "core/base/result.h"
#include "core/trace/journal/journal.h"
#include "core/view/words/placement_words.h"

#include <iosfwd>
#include <optional>

namespace shardlens {

// Writes the recording, or one step of it, as one self-contained HTML file that steps through the
// events in a browser. The page shows the program, the events, each rank's shards, the mask buffers
// and the caches at any position. It loads nothing from the network.
// Large recordings are truncated to the limits of pageData(); the page lists what was left out.
// Returns an error if the recording has no such step or no events.
Result<void> writeHtmlPage(const Journal& journal, std::optional<int> step, std::ostream& out,
                           view::Notation notation = view::Notation::DTensor);

}  // namespace shardlens
