#pragma once

#include "core/base/result.h"

#include <nlohmann/json_fwd.hpp>

#include <filesystem>

namespace shardlens {

// What a recording, a file or a folder of them, costs who reads it, and what it holds. Read in a
// process that does nothing else: memory is the most that this process has, less what it had
// before.
struct JournalReaderOptions {
  std::filesystem::path path;
};

// Prints what it found, as one line of JSON.
Result<void> runJournalReader(const JournalReaderOptions& options);
// What such a process of this program prints.
Result<nlohmann::json> readJournal(const std::filesystem::path& path);

}  // namespace shardlens
