#pragma once

#include "core/base/result.h"
#include "core/trace/file/progress.h"
#include "core/trace/journal/journal.h"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace shardlens {

// An event as a file has it.
struct RecordedAt {
  std::filesystem::path path;
  EventId event = 0;
};

// Reads a recording, finished or still growing; or those that the processes of a run wrote, as one
// (FORMAT.md). Refuses, naming the file, what is not a recording, is of a newer version, is
// damaged, or is of another run than the others. Of a folder, only the last: it opens without the
// files that cannot be opened, unless that is all of them.
class TraceReader {
 public:
  // A file; a folder of them, which others may join later.
  static Result<std::unique_ptr<TraceReader>> open(const std::filesystem::path& path);
  static Result<std::unique_ptr<TraceReader>> open(const std::vector<std::filesystem::path>& paths,
                                                   const Progress& progress = {});
  ~TraceReader();

  const Journal& journal() const;
  // Takes in what was written since, but no more than takes some milliseconds: true when there was
  // something, and there may be more. Of several processes, what all of them have got to.
  Result<bool> refresh();
  // A process has joined the run, or went on after settle(). This one shows the run without it from
  // now on: whoever wants all opens the run anew.
  bool isOutdated() const;
  // Takes in also what only some processes have got to, as if the others were not to go on; a few
  // milliseconds' work, as refresh(). Done by itself when nobody writes any more.
  bool settle();
  // Some processes have got further than what is shown, until the others come or settle().
  bool awaits() const;
  // Somebody may still write.
  bool mayGrow();
  // The ranks whose process went without closing its recording, ascending: it died.
  std::vector<int> lostRanks();
  // Why files of the folder are not part of it, or values that were looked at: a sentence each,
  // naming the file.
  std::vector<std::string> leftOut() const;
  // The event as its files have it: of several processes each that had it, in the order of their
  // ranks.
  std::vector<RecordedAt> recordedAt(EventId id) const;

 private:
  class Impl;
  explicit TraceReader(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace shardlens
