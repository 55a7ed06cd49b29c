#pragma once

#include "core/model/event.h"

#include <map>
#include <optional>
#include <string>

namespace shardlens {

// The events that the user bookmarked, each with a note, which may be empty.
using Bookmarks = std::map<EventId, std::string>;

// A change to one bookmark: sets its note, or removes the bookmark if `note` is nullopt.
struct BookmarkChange {
  EventId event = 0;
  std::optional<std::string> note;
  bool operator==(const BookmarkChange&) const = default;
};

}  // namespace shardlens
