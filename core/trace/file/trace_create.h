#pragma once

#include "core/base/result.h"

#include <filesystem>

namespace shardlens {

// Creates an empty recording and returns its absolute path; follows a symbolic link. Replaces an
// existing recording or an empty file. Returns an error for any other existing file, and if the
// folder is missing or not writable.
Result<std::filesystem::path> createRecording(const std::filesystem::path& path);

// Copies the committed state of a recording, also while it is being written. The copy is marked as
// closed. Fails as createRecording() does, and if `source` cannot be opened.
Result<void> copyRecording(const std::filesystem::path& source, const std::filesystem::path& path);

}  // namespace shardlens
