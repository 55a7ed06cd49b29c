#include "core/trace/merge/recording.h"

#include "core/trace/file/trace_open.h"
#include "core/trace/journal/tensor_ranks.h"
#include "core/trace/merge/file_limit.h"
#include "core/trace/merge/in_parallel.h"

#include <sqlite3.h>

#include <atomic>
#include <limits>
#include <optional>

namespace shardlens {

namespace fs = std::filesystem;

Result<std::unique_ptr<Recording>> Recording::open(const fs::path& path, const Progress& progress) {
  auto database = openRecording(path);
  if (!database) {
    if (const auto limit = reachedFileLimit()) {
      return fail(path.string() + " cannot be opened: " + *limit);
    }
    return tl::unexpected(database.error());
  }
  try {
    std::unique_ptr<Recording> recording(new Recording(path));
    recording->loader_ = std::make_unique<TraceLoader>(std::move(*database));
    recording->loader_->loadAll(progress);
    return recording;
  } catch (const DatabaseError& problem) {
    return tl::unexpected(explain(path, problem));
  }
}

void Recording::closeFile(std::shared_ptr<ReopenedFiles> files) {
  if (!loader_ || !loader_->isClosed() || loader_->isBehind()) return;
  std::error_code code;
  changed_ = fs::last_write_time(path_, code);
  const std::size_t values = loader_->journal().values().size();
  journal_ = loader_->takeJournal();
  journal_.keepValuesIn(std::make_unique<ClosedValues>(path_, journal_, values, std::move(files)));
  loader_.reset();
}

Result<bool> Recording::load() {
  try {
    return loader_ ? loader_->load(kSlice) : loadBookmarks();
  } catch (const DatabaseError& problem) {
    return tl::unexpected(explain(path_, problem));
  }
}

// Only the bookmarks of a closed recording may change.
Result<bool> Recording::loadBookmarks() {
  std::error_code code;
  const auto changed = fs::last_write_time(path_, code);
  if (code || changed == changed_) return false;
  changed_ = changed;
  auto database = openRecording(path_);
  if (!database) return tl::unexpected(database.error());
  Statement rows(**database, "SELECT event, note FROM bookmarks ORDER BY event");
  Bookmarks now;
  while (rows.step()) {
    const std::int64_t event = rows.integer(0);
    if (event >= 1 && event <= std::numeric_limits<EventId>::max()) {
      now.emplace(static_cast<EventId>(event), rows.text(1));
    }
  }
  if (now == journal_.bookmarks()) return false;
  journal_.setBookmarks(std::move(now));
  return true;
}

std::vector<int> Recording::lostRanks() {
  return !loader_ || mayGrow() || loader_->isClosed() ? std::vector<int>() : hostedRanks(journal());
}

std::vector<std::string> Recording::leftOut() const {
  const std::string problem = journal().values().problem();
  if (!problem.empty()) return {explain(path_, DatabaseError(SQLITE_CORRUPT, problem)).message};
  const bool isEmpty = journal().size() == 0 && journal().meta("hosted").empty();
  const bool isLost = isEmpty && loader_ && !loader_->mayGrow() && !loader_->isClosed();
  return isLost ? std::vector{emptyText(path_)} : std::vector<std::string>();
}

std::string emptyText(const fs::path& path) {
  return path.string() + " is empty: its process was killed before it recorded its ranks";
}

std::vector<Result<std::unique_ptr<Recording>>> openRecordings(
    const std::vector<fs::path>& paths, const std::shared_ptr<ReopenedFiles>& files,
    const Progress& progress) {
  using Opened = Result<std::unique_ptr<Recording>>;
  std::vector<Opened> opened(paths.size());
  if (paths.size() == 1) {
    opened.front() = Recording::open(paths.front(), progress);
    return opened;
  }
  const std::size_t mostOpen = mostOpenRecordings();
  std::atomic<std::size_t> open = 0;
  const auto work = [&](std::size_t i) {
    opened[i] = Recording::open(paths[i]);
    if (opened[i] && open++ >= mostOpen) (*opened[i])->closeFile(files);
  };
  inParallel(paths.size(), work, progress);
  return opened;
}

}  // namespace shardlens
