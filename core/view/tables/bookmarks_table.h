#pragma once

#include "core/trace/journal/journal.h"
#include "core/view/tables/table.h"
#include "core/view/words/placement_words.h"

#include <optional>

namespace shardlens::view {

// A table of the bookmarks whose events have been read, in event order. Marks the bookmark at
// `position`. Keeps a reference to the journal.
struct BookmarksTable {
  enum Column { Event, What, Note };
};
Table bookmarksTable(const Journal& journal, EventId position,
                     Notation notation = Notation::DTensor);

// Returns "note: TEXT", or "bookmark" without a note; nullopt if the event has no bookmark.
std::optional<std::string> bookmarkText(const Journal& journal, EventId id);

}  // namespace shardlens::view
