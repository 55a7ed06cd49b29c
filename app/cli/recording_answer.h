#pragma once

#include "core/query/language/query.h"
#include "core/trace/merge/trace_reader.h"

#include <functional>

namespace shardlens::cli {

// Opens a recording and reads all of it, including events that only some processes have reached; or
// only some steps, if `steps` has any, see TraceReader::open(). It then prints that to standard
// error. `files` must not be empty. Fails as TraceReader::open() does, and if there are no events
// of these steps.
Result<std::unique_ptr<TraceReader>> openWhole(const std::vector<std::filesystem::path>& files,
                                               const std::vector<RankRange>& steps = {});
// As openWhole(). Without `steps`, reads only the steps that `needed` returns, if it returns any
// and the recording is large (kLarge) and of the present format, and prints that to standard error.
Result<std::unique_ptr<TraceReader>> openNeeded(
    const std::vector<std::filesystem::path>& files, const std::vector<RankRange>& steps,
    const std::function<std::vector<RankRange>()>& needed);
// Returns the steps that a query selects; see stepsOf(). Empty if it cannot be parsed.
std::vector<RankRange> stepsOfText(const std::string& query);
// The bytes of all files from which on a recording is large: joining its events takes seconds.
inline constexpr std::uintmax_t kLarge = std::uintmax_t{32} << 20U;
// The help of --steps.
inline constexpr const char* kStepsHelp =
    "Read only these steps, for example 3-5,8, from a recording of any size";

// As parseQuery(). Also fails for the field `id` if the journal has some steps only, because their
// events are shown by the numbers of the whole recording.
tl::expected<Query, QueryMistake> parseTerms(const std::string& query, const Journal& journal);
// Prints to standard error that ids are numbered within the opened steps, if only some were opened.
void reportIds(const Journal& journal, const char* subject);

// Returns the ranks of the option --ranks on the mesh of the recording. Errors begin with
// "--ranks".
Result<std::vector<RankRange>> selectedRanks(const std::string& option, const Journal& journal);
// Returns a query of the events in which one of these ranks took part; of all events for "".
Result<Query> ranksTerm(const std::string& option, const Journal& journal);

// Returns an error if `to` is one of the files that are read, or a recording, also a new one, in
// one of the folders.
Result<void> expectOther(const std::filesystem::path& to,
                         const std::vector<std::filesystem::path>& files);

// Flushes the output and returns the exit code of a command on a recording. If files of a folder
// were left out, prints why and returns at least kRefused.
int finishAnswer(const TraceReader& reader, int exitCode);

}  // namespace shardlens::cli
