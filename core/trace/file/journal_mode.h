#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <filesystem>

namespace shardlens {

// Shared: a network, cluster or user-space file system. Other hosts may access its files, and
// memory that processes map from a file is not coherent between hosts.
enum class FileSystemKind { Local, Shared };

// Returns the kind of the file system with this magic number (f_type of statfs). Unknown numbers
// are Local.
FileSystemKind fileSystemKind(std::int64_t magic);
// Returns the kind of the file system of an existing file or folder; Local if it cannot be read.
FileSystemKind fileSystemKind(const std::filesystem::path& path);

// How SQLite protects the transactions of a writer. Wal requires shared memory between the writer
// and its readers, so they must run on one host. Rollback requires file locks only.
enum class JournalMode { Wal, Rollback };

// Returns the mode for a new recording in this folder: Wal on a local file system, Rollback on a
// shared one. The environment variable SHARDLENS_JOURNAL overrides it; returns an error if that is
// neither "wal" nor "rollback".
Result<JournalMode> journalModeIn(const std::filesystem::path& folder);

}  // namespace shardlens
