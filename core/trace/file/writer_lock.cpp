#include "core/trace/file/writer_lock.h"

#include <sqlite3.h>

#include <string>
#include <system_error>

namespace shardlens {

namespace fs = std::filesystem;

namespace {

constexpr std::chrono::milliseconds kAtOnce{0};

fs::path lockFileOf(const fs::path& recording) { return recording.string() + kLockSuffix; }

// Locks the file without writing to it: no journal file is created.
void lock(Database& file) { file.execute("PRAGMA journal_mode=MEMORY; BEGIN EXCLUSIVE;"); }

void removeIfInPlace(const Database& file, const fs::path& path) {
  std::error_code ignored;
  if (file.isInPlace()) fs::remove(path, ignored);
}

}  // namespace

// A reader may remove an abandoned file between opening and locking it; then a new one is created.
WriterLock::WriterLock(const fs::path& recording) : path_(lockFileOf(recording)) {
  try {
    do {
      file_ = std::make_unique<Database>(path_, Database::Access::Create);
      lock(*file_);
    } while (!file_->isInPlace());
  } catch (const DatabaseError& problem) {
    throw DatabaseError(problem.code(), path_.filename().string() + " cannot be locked (" +
                                            problem.what() +
                                            "), expected a file system with file locks");
  }
}

WriterLock::~WriterLock() { removeIfInPlace(*file_, path_); }

bool hasWriter(const fs::path& recording) {
  try {
    Database file(lockFileOf(recording), Database::Access::ReadOnly);
    file.setPatience(kAtOnce);
    file.integer("SELECT count(*) FROM sqlite_master");
    return false;
  } catch (const DatabaseError& problem) {
    return problem.code() == SQLITE_BUSY;
  }
}

void removeAbandonedLock(const fs::path& recording) {
  const fs::path path = lockFileOf(recording);
  try {
    Database file(path, Database::Access::ReadWrite);
    file.setPatience(kAtOnce);
    lock(file);
    removeIfInPlace(file, path);
  } catch (const DatabaseError&) {
    // Missing, locked by a writer, or in a folder that cannot be changed.
  }
}

}  // namespace shardlens
