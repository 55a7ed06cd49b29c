#pragma once

#include "core/base/result.h"
#include "core/trace/file/database.h"

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace shardlens {

// Opens a recording for reading. Returns an error that names the file if it is missing, not a
// recording, of a newer format, or damaged. In a writable folder, data that a killed writer left in
// the WAL is recovered; in a read-only one the WAL may be ignored. The connection rejects writes
// (PRAGMA query_only).
Result<std::unique_ptr<Database>> openRecording(const std::filesystem::path& path);

// Returns the text, or its first 80 bytes and "..." if it is longer. For error messages.
std::string excerpt(std::string_view text);

// Converts an SQLite error into one for the user that names the file.
Error explain(const std::filesystem::path& path, const DatabaseError& problem);

}  // namespace shardlens
