#pragma once

#include "core/base/result.h"
#include "core/model/rank_ranges.h"
#include "core/trace/file/trace_loader.h"
#include "core/trace/merge/journal_merge.h"
#include "core/trace/merge/trace_reader.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace shardlens {

// Returns true for file names of recordings in a folder: NAME.shardlens, not hidden.
bool isRecordingName(const std::filesystem::path& path);

// One recording file. Wraps a TraceLoader and returns errors that name the file.
class Recording {
 public:
  // Opens the file and loads all its data.
  static Result<std::unique_ptr<Recording>> open(const std::filesystem::path& path,
                                                 const Progress& progress = {});

  const std::filesystem::path& path() const { return path_; }
  const Journal& journal() const { return loader_->journal(); }
  // Loads some milliseconds' worth of new data; true if there was any.
  Result<bool> load();
  bool isBehind() const { return loader_->isBehind(); }  // see TraceLoader
  bool mayGrow() { return loader_->mayGrow(); }
  // Returns the hosted ranks if the writer ended without closing the file, else none.
  std::vector<int> lostRanks();
  // Returns why values could not be read, at most one reason.
  std::vector<std::string> leftOut() const;

 private:
  explicit Recording(std::filesystem::path path) : path_(std::move(path)) {}

  std::filesystem::path path_;
  std::unique_ptr<TraceLoader> loader_;
};

// The recordings of a run's processes, merged into one journal. load() searches the folders again
// each time for new files. When a process joins late, or continues after settle(), merged events
// may be in the wrong order; the run is then outdated and load() returns false. TraceReader
// documents the public functions.
class TraceRun {
 public:
  static Result<std::unique_ptr<TraceRun>> open(const std::vector<std::filesystem::path>& paths,
                                                const Progress& progress = {});

  const Journal& journal() const;
  Result<bool> load();
  bool settle();
  bool awaits() const { return merge_ && !outdated_ && merge_->hasRest(); }
  bool mayGrow();
  bool isOutdated() const { return outdated_; }
  std::vector<int> lostRanks();
  std::vector<std::string> leftOut() const;
  std::vector<RecordedAt> recordedAt(EventId id) const;

 private:
  // A file of a folder that could not be opened, with its state at that time.
  struct LeftOut {
    std::filesystem::file_time_type changed;
    std::uintmax_t size = 0;
    std::string reason;
  };

  struct Hosted {
    int last;  // the last rank of the range
    const Recording* by;
  };

  Result<void> look(const Progress& progress);
  Result<void> take(const std::filesystem::path& path, const Progress& progress);
  void takeFolder(const std::filesystem::path& path, const Progress& progress);
  Result<void> mergeAll(const Progress& progress);
  Result<bool> join();
  Result<void> checkJoins(const Recording& recording) const;
  const Recording* hostOf(const RankRange& ranks) const;
  void merge();

  std::vector<std::filesystem::path> folders_;
  std::set<std::filesystem::path> known_;  // canonical paths of opened files
  std::set<std::filesystem::path> taken_;  // opened files of folders, by listed path
  std::map<std::filesystem::path, LeftOut> leftOut_;
  // Opened, but their hosted ranks are not known yet.
  std::vector<std::unique_ptr<Recording>> waiting_;
  std::vector<std::unique_ptr<Recording>> joined_;  // ordered by rank
  std::map<int, Hosted> hosted_;                    // by the first rank of each range
  std::unique_ptr<JournalMerge> merge_;
  bool ahead_ = false;  // settle() has merged events, which may be in the wrong order
  bool outdated_ = false;
};

}  // namespace shardlens
