#pragma once

#include "core/base/result.h"
#include "core/trace/file/trace_loader.h"
#include "core/trace/merge/closed_values.h"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace shardlens {

// One recording file. Wraps a TraceLoader and returns errors that name the file.
class Recording {
 public:
  // Events per call of load(), or comparable work: a few milliseconds.
  static constexpr std::int64_t kSlice = 32 * kBlockEvents;

  // Opens the file and loads all its data.
  static Result<std::unique_ptr<Recording>> open(const std::filesystem::path& path,
                                                 const Progress& progress = {});

  // Closes the file if its writer has closed it. The journal moves, so that references to it become
  // invalid. Values are then read by opening the file again; `files` lists those that are open.
  void closeFile(std::shared_ptr<ReopenedFiles> files);

  const std::filesystem::path& path() const { return path_; }
  const Journal& journal() const { return loader_ ? loader_->journal() : journal_; }
  // Loads some milliseconds' worth of new data; true if there was any.
  Result<bool> load();
  bool isBehind() const { return loader_ && loader_->isBehind(); }  // see TraceLoader
  bool mayGrow() { return loader_ && loader_->mayGrow(); }
  // Returns the hosted ranks if the writer ended without closing the file, else none.
  std::vector<int> lostRanks();
  // Returns why values could not be read, or that the writer was killed before it recorded its
  // ranks. At most one reason.
  std::vector<std::string> leftOut() const;

 private:
  explicit Recording(std::filesystem::path path) : path_(std::move(path)) {}

  Result<bool> loadBookmarks();

  std::filesystem::path path_;
  std::unique_ptr<TraceLoader> loader_;  // null: the file is closed, journal_ has its data
  Journal journal_;
  std::filesystem::file_time_type changed_;  // of a closed file
};

// Says that a recording has nothing, not even the ranks of its process.
std::string emptyText(const std::filesystem::path& path);

// Opens recordings in parallel, on all cores. The results are in the order of the paths. Files of
// closed recordings beyond mostOpenRecordings() are closed again. Calls `progress` on the calling
// thread; if it throws, opens no more and throws that.
std::vector<Result<std::unique_ptr<Recording>>> openRecordings(
    const std::vector<std::filesystem::path>& paths, const std::shared_ptr<ReopenedFiles>& files,
    const Progress& progress);

}  // namespace shardlens
