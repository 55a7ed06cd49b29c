#pragma once

#include "core/base/result.h"
#include "core/trace/journal/bookmarks.h"

#include <filesystem>
#include <span>

namespace shardlens {

// Applies bookmark changes to a recording in one transaction, also while it is being written and
// read. Returns an error if the file cannot be written or has a trigger.
Result<void> keepBookmarks(const std::filesystem::path& path,
                           std::span<const BookmarkChange> changes);

}  // namespace shardlens
