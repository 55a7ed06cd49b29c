#pragma once

#include "core/base/result.h"
#include "core/model/rank_ranges.h"
#include "core/trace/file/progress.h"
#include "core/trace/journal/journal.h"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace shardlens {

// The file and the id under which an event is recorded.
struct RecordedAt {
  std::filesystem::path path;
  EventId event = 0;
};

// Reads a recording, finished or growing, or the recordings of a run's processes as one
// (FORMAT.md). Opening returns an error that names the file if it is not a recording, of a newer
// format, damaged, or of another run than the others. A folder also opens without files that cannot
// be opened, unless no file can be; see leftOut(). Not thread safe; journal() changes in refresh()
// and settle() only.
class TraceReader {
 public:
  // `path`: a file, or a folder, in which more recordings may appear later. `paths` must not be
  // empty. Loads all data that is there. `steps`: indexes, ascending and disjoint; if there are
  // any, loads the events of these steps only, as they are recorded now, in time and memory of
  // these events. The ids of the journal then count these events from 1; Journal::numberOf()
  // returns the recorded ids. The journal has a limit (kLimitsKey) that describes it.
  static Result<std::unique_ptr<TraceReader>> open(const std::filesystem::path& path);
  static Result<std::unique_ptr<TraceReader>> open(const std::vector<std::filesystem::path>& paths,
                                                   const Progress& progress = {});
  static Result<std::unique_ptr<TraceReader>> open(const std::vector<std::filesystem::path>& paths,
                                                   const std::vector<RankRange>& steps,
                                                   const Progress& progress = {});
  ~TraceReader();

  // The journal so far. While it is empty, refresh() may replace the object.
  const Journal& journal() const;
  // Loads data written since, a few milliseconds' work per call. Returns true if something was
  // loaded; there may be more. With several processes, merges the events that all have reached, and
  // the others once no process is writing. Returns false once isOutdated(), and an error if a file
  // is damaged or of another run.
  Result<bool> refresh();
  // Returns true if refresh() has loaded a few files of a run and left the journal as it was: call
  // it again.
  bool isLoading() const;
  // True if a process joined the run late, or continued after settle(), so that merged events may
  // be in the wrong order. refresh() then returns only false; reopen the run to see the new data.
  bool isOutdated() const;
  // Also merges events that only some processes have recorded, as if the others had stopped; a few
  // milliseconds' work per call. Returns true if something changed, always false for a single file.
  bool settle();
  // True if some processes have recorded more than is merged. refresh() merges it when the others
  // catch up, settle() at once.
  bool awaits() const;
  // Returns true if a process may still be writing; false if only some steps were opened.
  bool mayGrow();
  // Returns true if some steps were opened, and there are or may be events after them.
  bool hasLater() const;
  // Returns the ranks whose process ended without closing its recording, ascending. A process that
  // may still be writing is not lost, nor is one that recorded events after the opened steps.
  std::vector<int> lostRanks();
  // Returns the reasons why files of a folder were not opened, or values could not be read: one
  // sentence each, with the file name.
  std::vector<std::string> leftOut() const;
  // Returns the files that contain the event, with its id there: one per process that recorded it,
  // in the order of their ranks. The event must exist.
  std::vector<RecordedAt> recordedAt(EventId id) const;

 private:
  class Impl;
  explicit TraceReader(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace shardlens
