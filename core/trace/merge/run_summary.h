#pragma once

#include "core/base/result.h"
#include "core/model/rank_ranges.h"
#include "core/trace/file/progress.h"
#include "core/trace/file/recording_summary.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace shardlens {

// A recording of a run, with the state of its file when it was summarised.
struct SummarizedFile {
  std::filesystem::path path;
  std::uintmax_t size = 0;
  std::int64_t changed = 0;            // the time of the last write, as the file system counts it
  std::vector<RankRange> hosted = {};  // see hostedRanges()
  RecordingSummary summary = {};
};

// What the recordings of a run amount to, without joining their events: counts are those of all
// recordings added up, so that a collective counts once per process that recorded it.
struct RunSummary {
  std::vector<SummarizedFile> files;  // ascending by their ranks
  // The recordings that are missing, damaged or of another run: one sentence each, with the path.
  std::vector<std::string> leftOut;

  std::vector<RankRange> hosted() const;  // of all recordings
  std::int64_t events() const;
  std::int64_t count(EventKind kind) const;
  std::int64_t steps() const;  // of the recording with the most
  // Returns the number of the last step; 0 if there is none, or if a recording is not complete and
  // may have later ones.
  std::int64_t lastStep() const;
  // Returns the end of the last event on the common clock of the run; see Clocks. The clocks of
  // several machines are compared by their wall clocks alone.
  std::int64_t end() const;
  // Returns the ranks that recorded equal events in order (Segment::program), by their first rank.
  // Stricter than programRoles().
  std::vector<std::vector<RankRange>> programs() const;
};

// Summarises the recordings of a run, in parallel. `paths`: files, or one folder, whose manifest is
// used and updated; see run_manifest.h. Returns an error only if no recording can be read, or if
// the folder cannot. An exception of `progress` passes to the caller.
Result<RunSummary> summarizeRun(const std::vector<std::filesystem::path>& paths,
                                const Progress& progress = {});
// As summarizeRun(), but reads no events and writes nothing: recordings that are not complete count
// as far as their segments are sealed. For the first picture of a run that opens.
Result<RunSummary> previewRun(const std::vector<std::filesystem::path>& paths,
                              const Progress& progress = {});

}  // namespace shardlens
