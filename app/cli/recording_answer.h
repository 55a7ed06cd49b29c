#pragma once

#include "core/query/language/query.h"
#include "core/trace/merge/trace_reader.h"

namespace shardlens::cli {

// Opens a recording and reads all of it, including events that only some processes have reached.
// `files` must not be empty. Fails as TraceReader::open() does.
Result<std::unique_ptr<TraceReader>> openWhole(const std::vector<std::filesystem::path>& files);

// Returns the ranks of the option --ranks on the mesh of the recording. Errors begin with
// "--ranks".
Result<std::vector<RankRange>> selectedRanks(const std::string& option, const Journal& journal);
// Returns a query of the events in which one of these ranks took part; of all events for "".
Result<Query> ranksTerm(const std::string& option, const Journal& journal);

// Returns an error if `to` is one of the files that are read, or a recording in one of the folders.
Result<void> expectOther(const std::filesystem::path& to,
                         const std::vector<std::filesystem::path>& files);

// Flushes the output and returns the exit code of a command on a recording. If files of a folder
// were left out, prints why and returns at least kRefused.
int finishAnswer(const TraceReader& reader, int exitCode);

}  // namespace shardlens::cli
