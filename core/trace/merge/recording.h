#pragma once

#include "core/base/result.h"
#include "core/model/rank_ranges.h"
#include "core/trace/file/slice_loader.h"
#include "core/trace/file/trace_loader.h"
#include "core/trace/merge/closed_values.h"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace shardlens {

// One recording file, or some of its steps. Wraps a TraceLoader or a SliceLoader and returns errors
// that name the file.
class Recording {
 public:
  // Events per call of load(), or comparable work: a few milliseconds.
  static constexpr std::int64_t kSlice = 32 * kBlockEvents;

  // Opens the file and loads all its data.
  static Result<std::unique_ptr<Recording>> open(const std::filesystem::path& path,
                                                 const Progress& progress = {});
  // Opens the file, loads the events of these steps as they are now, and closes it; see
  // SliceLoader. load() then never loads more. Values are read by opening the file again.
  static Result<std::unique_ptr<Recording>> openSteps(const std::filesystem::path& path,
                                                      const std::vector<RankRange>& steps,
                                                      std::shared_ptr<ReopenedFiles> files,
                                                      const Progress& progress = {});

  // Closes the file and seals the journal if the writer has closed the file. The journal moves, so
  // that references to it become invalid. Values are then read by opening the file again; `files`
  // lists those that are open.
  void closeFile(std::shared_ptr<ReopenedFiles> files);

  const std::filesystem::path& path() const { return path_; }
  const Journal& journal() const {
    if (slice_) return slice_->journal;
    return loader_ ? loader_->journal() : journal_;
  }
  // Loads some milliseconds' worth of new data; true if there was any.
  Result<bool> load();
  bool isBehind() const { return loader_ && loader_->isBehind(); }  // see TraceLoader
  bool mayGrow() { return loader_ && loader_->mayGrow(); }
  // Returns true if the file has events after the steps that were opened, or may get some.
  bool hasLater() const { return hasLater_; }
  // Returns the id of an event in the file.
  EventId ownIdOf(EventId id) const { return slice_ ? slice_->ids.ownEventOf(id) : id; }
  // Returns the hosted ranks if the writer ended without closing the file, and the last event of
  // the file is loaded; else none.
  std::vector<int> lostRanks();
  // Returns why values could not be read, or that the writer was killed before it recorded its
  // ranks. At most one reason.
  std::vector<std::string> leftOut() const;

 private:
  explicit Recording(std::filesystem::path path) : path_(std::move(path)) {}

  Result<bool> loadBookmarks();
  bool isLost() const;

  std::filesystem::path path_;
  std::unique_ptr<TraceLoader>
      loader_;  // null: the file is closed, journal_ or slice_ has its data
  Journal journal_;
  std::unique_ptr<StepSlice> slice_;
  bool hasLater_ = false;
  std::filesystem::file_time_type changed_;  // of a closed file
};

// Says that a recording has nothing, not even the ranks of its process.
std::string emptyText(const std::filesystem::path& path);

// Opens recordings in parallel, on all cores; only some steps of each unless `steps` is empty. The
// results are in the order of the paths. Of more than mostOpenRecordings(), the files of closed
// recordings are closed again. Calls `progress` on the calling thread; if it throws, opens no more
// and throws that.
std::vector<Result<std::unique_ptr<Recording>>> openRecordings(
    const std::vector<std::filesystem::path>& paths, const std::shared_ptr<ReopenedFiles>& files,
    const Progress& progress, const std::vector<RankRange>& steps = {});

}  // namespace shardlens
