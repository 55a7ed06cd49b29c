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

// The names of recordings in a folder: NAME.shardlens, not hidden.
bool isRecordingName(const std::filesystem::path& path);

// One file: a loader that names it when something is wrong.
class Recording {
 public:
  static Result<std::unique_ptr<Recording>> open(const std::filesystem::path& path,
                                                 const Progress& progress = {});

  const std::filesystem::path& path() const { return path_; }
  const Journal& journal() const { return loader_->journal(); }
  // Takes in at most a slice.
  Result<bool> load();
  bool isBehind() const { return loader_->isBehind(); }  // of its file
  bool mayGrow() { return loader_->mayGrow(); }
  std::vector<int> lostRanks();
  // Why values that were looked at are not shown.
  std::vector<std::string> leftOut() const;

 private:
  explicit Recording(std::filesystem::path path) : path_(std::move(path)) {}

  std::filesystem::path path_;
  std::unique_ptr<TraceLoader> loader_;
};

// The recordings of a run's processes, in folders that are looked through again each time, and what
// they make together. When a process joins that has not been merged, or goes on after what the
// others did without it was, all of it may have to stand elsewhere: then this is outdated, and does
// not go on.
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
  // A file of a folder that cannot be opened, as it was when that was tried.
  struct LeftOut {
    std::filesystem::file_time_type changed;
    std::uintmax_t size = 0;
    std::string reason;
  };

  struct Hosted {
    int last;
    const Recording* by;
  };

  Result<void> look(const Progress& progress);
  Result<void> take(const std::filesystem::path& path, const Progress& progress);
  void takeOfFolder(const std::filesystem::path& path, const Progress& progress);
  Result<void> mergeAll(const Progress& progress);
  Result<bool> join();
  Result<void> checkJoins(const Recording& recording) const;
  const Recording* hostOf(const RankRange& ranks) const;
  void merge();

  std::vector<std::filesystem::path> folders_;
  std::set<std::filesystem::path> known_;  // by their canonical names
  std::set<std::filesystem::path> taken_;  // those of folders, as they are listed
  std::map<std::filesystem::path, LeftOut> leftOut_;
  std::vector<std::unique_ptr<Recording>> waiting_;  // that do not say yet whose they are
  std::vector<std::unique_ptr<Recording>> joined_;   // by their ranks
  std::map<int, Hosted> hosted_;                     // by the first rank of each range
  std::unique_ptr<JournalMerge> merge_;
  bool ahead_ = false;  // what was settled may have to stand elsewhere when somebody goes on
  bool outdated_ = false;
};

}  // namespace shardlens
