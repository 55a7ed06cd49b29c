#pragma once

#include "core/trace/journal/journal.h"
#include "core/view/table.h"

#include <optional>

namespace shardlens::view {

// The bookmarks whose events have been read, in their order: what each is of, and its note. The one
// of the position is marked. The journal must outlive the table.
struct BookmarksTable {
  enum Column { Event, What, Note };
};
Table bookmarksTable(const Journal& journal, EventId position);

// "note: it drains here", or "bookmark" where there is no note; none where the event is not marked.
std::optional<std::string> bookmarkText(const Journal& journal, EventId id);

}  // namespace shardlens::view
