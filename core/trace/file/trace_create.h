#pragma once

#include "core/base/result.h"

#include <filesystem>

namespace shardlens {

// Makes an empty recording here, in the place of an older one at most, and says where that is: a
// link is followed. Refuses to replace what is no recording.
Result<std::filesystem::path> createRecording(const std::filesystem::path& path);

// Copies a recording as far as it goes, also while somebody writes to it: the copy is one that has
// been closed there. Refuses as createRecording() does.
Result<void> copyRecording(const std::filesystem::path& source, const std::filesystem::path& path);

}  // namespace shardlens
