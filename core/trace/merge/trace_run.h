#pragma once

#include "core/base/result.h"
#include "core/model/rank_ranges.h"
#include "core/trace/file/recording_summary.h"
#include "core/trace/merge/journal_merge.h"
#include "core/trace/merge/recording.h"
#include "core/trace/merge/trace_reader.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace shardlens {

// Returns true for file names of recordings in a folder: NAME.shardlens, not hidden.
bool isRecordingName(const std::filesystem::path& path);

// Returns "PATH is of another run: got GOT, expected EXPECTED OTHER". GOT is shortened.
std::string otherRunText(const std::filesystem::path& path, const std::string& got,
                         const std::string& expected, const std::filesystem::path& other);
// Returns that text if the metadata `mine` of a recording is not of the run of the recording
// `other`, with the metadata `theirs`; nullopt if it may be. An unknown mesh agrees with any mesh,
// because each rank of a job learns the mesh at a different time. Accepts metadata of summaries.
std::optional<std::string> whyOfAnotherRun(const std::filesystem::path& path, const Metadata& mine,
                                           const std::filesystem::path& other,
                                           const Metadata& theirs);

// The recordings of a run's processes, merged into one journal. load() searches the folders again
// each time for new files. When a process joins late, or continues after settle(), merged events
// may be in the wrong order; the run is then outdated and load() returns false. TraceReader
// documents the public functions.
class TraceRun {
 public:
  static Result<std::unique_ptr<TraceRun>> open(const std::vector<std::filesystem::path>& paths,
                                                const std::vector<RankRange>& steps = {},
                                                const Progress& progress = {});

  const Journal& journal() const;
  Result<bool> load();
  bool isLoading() const { return pass_.next != 0; }
  bool settle();
  bool awaits() const { return merge_ && !outdated_ && merge_->hasRest(); }
  bool mayGrow();
  bool hasLater() const;
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

  // A visit of all recordings, which several calls of load() may share.
  struct Pass {
    std::size_t next = 0;  // the recording to visit next
    bool any = false;      // something was loaded
    bool isBehind = false;
  };

  Result<void> look(const Progress& progress);
  bool isToOpen(const std::filesystem::path& path);
  void take(std::unique_ptr<Recording> recording);
  Result<void> mergeAll(const Progress& progress);
  Result<bool> loadSome();
  EventId slice() const;
  Result<bool> join();
  Result<void> checkJoins(const Recording& recording) const;
  const Recording* hostOf(const RankRange& ranks) const;
  void merge();

  std::vector<RankRange> steps_;  // empty: all
  std::vector<std::filesystem::path> folders_;
  std::set<std::filesystem::path> known_;  // canonical paths of opened files
  std::shared_ptr<ReopenedFiles> reopened_ = std::make_shared<ReopenedFiles>();
  std::set<std::filesystem::path> taken_;  // opened files of folders, by listed path
  std::map<std::filesystem::path, LeftOut> leftOut_;
  // Opened, but their hosted ranks are not known yet.
  std::vector<std::unique_ptr<Recording>> waiting_;
  std::vector<std::unique_ptr<Recording>> joined_;  // ordered by rank
  std::map<int, Hosted> hosted_;                    // by the first rank of each range
  std::unique_ptr<JournalMerge> merge_;
  Pass pass_;
  bool ahead_ = false;  // settle() has merged events, which may be in the wrong order
  bool outdated_ = false;
};

}  // namespace shardlens
