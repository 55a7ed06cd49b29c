#pragma once

#include "core/trace/merge/trace_reader.h"

namespace shardlens::cli {

// A recording with all that it has, also where a process has got further than the others.
Result<std::unique_ptr<TraceReader>> openWhole(const std::vector<std::filesystem::path>& files);

// Refuses to write to one of the files that are read, or to one of a folder of them.
Result<void> expectOther(const std::filesystem::path& to,
                         const std::vector<std::filesystem::path>& files);

// The exit code of what was asked of a recording: kRefused too where files of a folder were left
// out, which it says.
int finishAnswer(const TraceReader& reader, int exitCode);

}  // namespace shardlens::cli
