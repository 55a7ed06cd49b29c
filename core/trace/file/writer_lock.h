#pragma once

#include "core/trace/file/database.h"

#include <filesystem>
#include <memory>

namespace shardlens {

// The ending of the name of a recording's lock file.
inline constexpr const char* kLockSuffix = "-live";

// The lock by which readers detect that the writer of a recording is alive: an SQLite lock on the
// empty side file NAME-live. The system releases it when the process dies. A forked child does not
// inherit it.
class WriterLock {
 public:
  // Creates and locks the side file of this recording. Throws DatabaseError if the file system does
  // not support locks or the file cannot be created.
  explicit WriterLock(const std::filesystem::path& recording);
  // Removes the side file, unless a newer writer has replaced it, and releases the lock.
  ~WriterLock();
  WriterLock(const WriterLock&) = delete;
  WriterLock& operator=(const WriterLock&) = delete;

 private:
  std::filesystem::path path_;
  std::unique_ptr<Database> file_;
};

// Returns true if the writer of this recording is alive. Does not throw.
bool hasWriter(const std::filesystem::path& recording);
// Removes the side file that a killed writer left. Does nothing if a writer is alive or the file
// cannot be removed.
void removeAbandonedLock(const std::filesystem::path& recording);

}  // namespace shardlens
