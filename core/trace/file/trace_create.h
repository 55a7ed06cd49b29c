#pragma once

#include "core/base/result.h"
#include "core/trace/file/writer_lock.h"

#include <filesystem>
#include <memory>

namespace shardlens {

// A recording that was created for writing.
struct NewRecording {
  std::filesystem::path path;  // absolute
  std::unique_ptr<WriterLock> lock;
};

// Creates an empty recording and locks it for its writer; follows a symbolic link. Replaces an
// existing recording or an empty file. Returns an error for any other existing file, and if the
// folder is missing or not writable, or does not support locks.
Result<NewRecording> createRecording(const std::filesystem::path& path);

// Copies the committed state of a recording, also while it is being written. The copy is marked as
// closed. Fails as createRecording() does, and if `source` cannot be opened.
Result<void> copyRecording(const std::filesystem::path& source, const std::filesystem::path& path);

}  // namespace shardlens
