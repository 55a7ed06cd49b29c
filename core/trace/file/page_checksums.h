#pragma once

#include <cstddef>
#include <cstdint>

namespace shardlens {

// The bytes at the end of each page of a recording that contain its checksum.
inline constexpr int kChecksumBytes = 8;

// What the checksum of a page depends on. Numbered: its content and its number in the file, so that
// a page at another place is detected. Plain: its content, as in the checksum VFS of SQLite; older
// recordings have these.
enum class ChecksumRule : std::uint8_t { Numbered, Plain };

// Returns the name of an SQLite file system ("VFS") that writes the checksum of each page, for
// sqlite3_open_v2(). Once sqlite3_file_control() was called with kVerifyChecksums and a pointer to
// the ChecksumRule of the file, reading a page that does not match its checksum fails with
// SQLITE_IOERR_DATA, and pages are written by this rule; before, they are written as Numbered. A
// page with a checksum of the other rule is accepted, because another version of Shardlens may have
// written it. But a Numbered file has no page with the Plain checksum 0, which is that of a page of
// zeros.
//
// Applies to database files that reserve kChecksumBytes per page, as recordings do; other files are
// read and written as usual. Pages that a connection without this file system writes have no valid
// checksum. Thread safe. Returns null if SQLite has no default file system.
const char* checkedFileSystem();
inline constexpr int kVerifyChecksums = 0x53484C4E;

}  // namespace shardlens
