#pragma once

#include "core/base/result.h"
#include "core/trace/journal/bookmarks.h"

#include <filesystem>
#include <span>

namespace shardlens {

// Keeps bookmarks in a recording, all of them or none, also while its writer goes on and others
// follow it. Refuses what cannot be written, and format 1, whose events have other numbers in the
// file.
Result<void> keepBookmarks(const std::filesystem::path& path,
                           std::span<const BookmarkChange> changes);

}  // namespace shardlens
