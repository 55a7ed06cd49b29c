#pragma once

#include <cstddef>

namespace shardlens {

// The bytes at the end of each page of a recording that contain its checksum.
inline constexpr int kChecksumBytes = 8;

// Returns the name of an SQLite file system ("VFS") that writes the checksum of each page, for
// sqlite3_open_v2(). Once sqlite3_file_control() was called with kVerifyChecksums, reading a page
// that does not match its checksum fails with SQLITE_IOERR_DATA. Applies to database files that
// reserve kChecksumBytes per page, as recordings do; other files are read and
// written as usual. Pages that a connection without this file system writes have no valid checksum.
// The checksum is that of SQLite's own checksum VFS. Thread safe. Returns null if SQLite has no
// default file system.
const char* checkedFileSystem();
inline constexpr int kVerifyChecksums = 0x53484C4E;

}  // namespace shardlens
