#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace shardlens {

// The largest number of recordings of a run whose files stay open. In a run of more recordings,
// those that are closed are read and then opened again when their values are requested.
inline constexpr std::size_t kMostOpenRecordings = 400;
// The files that SQLite holds open for a recording that is being written.
inline constexpr std::size_t kFilesOfRecording = 3;

// Raises this process's limit of open files, so that it can open `needed` files besides those it
// has open, as far as the system permits it.
void raiseFileLimit(std::size_t needed);
// Returns the number of recordings that may stay open: kMostOpenRecordings, or less if the limit of
// open files is low.
std::size_t mostOpenRecordings();
// Returns a sentence about the limit of open files if this process has reached it.
std::optional<std::string> reachedFileLimit();

}  // namespace shardlens
