#pragma once

#include "core/base/result.h"

#include <nlohmann/json_fwd.hpp>

#include <filesystem>

namespace shardlens {

// A measurement of reading a recording, in a process that does nothing else.
struct JournalReaderOptions {
  std::filesystem::path path;  // a file, or a folder with the files of several processes
};

// Opens the recording, builds the state index and takes snapshots. Prints one line of JSON with
// times, counts and memory ("MiB": the peak of the process, less its memory before; "files": the
// files that are open while the recording is).
Result<void> runJournalReader(const JournalReaderOptions& options);
// Runs runJournalReader() in a new process of this program. Returns what it prints.
Result<nlohmann::json> readJournal(const std::filesystem::path& path);

}  // namespace shardlens
