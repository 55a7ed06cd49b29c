#pragma once

#include "core/trace/merge/trace_reader.h"

namespace shardlens::cli {

// Opens a recording and reads all of it, including events that only some processes have reached.
// `files` must not be empty. Fails as TraceReader::open() does.
Result<std::unique_ptr<TraceReader>> openWhole(const std::vector<std::filesystem::path>& files);

// Returns an error if `to` is one of the files that are read, or a recording in one of the folders.
Result<void> expectOther(const std::filesystem::path& to,
                         const std::vector<std::filesystem::path>& files);

// Flushes the output and returns the exit code of a command on a recording. If files of a folder
// were left out, prints why and returns at least kRefused.
int finishAnswer(const TraceReader& reader, int exitCode);

}  // namespace shardlens::cli
