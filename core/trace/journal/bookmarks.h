#pragma once

#include "core/model/event.h"

#include <map>
#include <optional>
#include <string>

namespace shardlens {

// The events that a person marked, each with a note, which may be empty.
using Bookmarks = std::map<EventId, std::string>;

// One of them from now on; without a note the event is marked no more.
struct BookmarkChange {
  EventId event = 0;
  std::optional<std::string> note;
  bool operator==(const BookmarkChange&) const = default;
};

}  // namespace shardlens
