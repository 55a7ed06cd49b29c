#include "core/trace/merge/recording.h"

#include "core/trace/file/trace_open.h"
#include "core/trace/file/trace_schema.h"
#include "core/trace/file/writer_lock.h"
#include "core/trace/journal/tensor_ranks.h"
#include "core/trace/merge/file_limit.h"
#include "core/trace/merge/in_parallel.h"

#include <fmt/core.h>
#include <sqlite3.h>

#include <limits>
#include <optional>

namespace shardlens {

namespace fs = std::filesystem;

namespace {

Result<std::unique_ptr<Database>> openFile(const fs::path& path) {
  auto database = openRecording(path);
  if (!database) {
    if (const auto limit = reachedFileLimit()) {
      return fail(path.string() + " cannot be opened: " + *limit);
    }
  }
  return database;
}

}  // namespace

Result<std::unique_ptr<Recording>> Recording::open(const fs::path& path, const Progress& progress) {
  auto database = openFile(path);
  if (!database) return tl::unexpected(database.error());
  try {
    std::unique_ptr<Recording> recording(new Recording(path));
    recording->loader_ = std::make_unique<TraceLoader>(std::move(*database));
    recording->loader_->loadAll(progress);
    return recording;
  } catch (const DatabaseError& problem) {
    return tl::unexpected(explain(path, problem));
  }
}

Result<std::unique_ptr<Recording>> Recording::openSteps(const fs::path& path,
                                                        const std::vector<RankRange>& steps,
                                                        std::shared_ptr<ReopenedFiles> files,
                                                        const Progress& progress) {
  auto database = openFile(path);
  if (!database) return tl::unexpected(database.error());
  try {
    const std::int64_t format = (*database)->integer("PRAGMA user_version");
    if (format < kFormat) {
      return fail(fmt::format("{} is of format {}, expected {} to open some of its steps",
                              path.string(), format, kFormat));
    }
    std::unique_ptr<Recording> recording(new Recording(path));
    recording->slice_ = std::make_unique<StepSlice>();
    StepSlice& slice = *recording->slice_;
    // Before the file is read, so that a writer that ends meanwhile is not taken for lost.
    const bool isWritten = hasWriter(path);
    SliceLoader(**database, steps, slice).load(progress);
    recording->hasLater_ = slice.hasLater || (isWritten && !slice.isClosed);
    slice.journal.setNumbers(
        [&slice](EventId id) { return std::to_string(slice.ids.ownEventOf(id)); });
    slice.journal.keepValuesIn(std::make_unique<ClosedValues>(
        path, slice.journal, static_cast<std::size_t>(slice.lastValue - slice.firstValue),
        std::move(files), &slice));
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
  journal_.seal();
  journal_.keepValuesIn(std::make_unique<ClosedValues>(path_, journal_, values, std::move(files)));
  loader_.reset();
}

Result<bool> Recording::load() {
  if (slice_) return false;
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

// Returns true if the writer ended without closing the file, and its last event is loaded.
bool Recording::isLost() const {
  if (slice_) return !slice_->isClosed && !hasLater_;
  return loader_ && !loader_->mayGrow() && !loader_->isClosed();
}

std::vector<int> Recording::lostRanks() {
  return isLost() ? hostedRanks(journal()) : std::vector<int>();
}

std::vector<std::string> Recording::leftOut() const {
  const std::string problem = journal().values().problem();
  if (!problem.empty()) return {explain(path_, DatabaseError(SQLITE_CORRUPT, problem)).message};
  const bool isEmpty = journal().size() == 0 && journal().meta("hosted").empty();
  return isEmpty && isLost() ? std::vector{emptyText(path_)} : std::vector<std::string>();
}

std::string emptyText(const fs::path& path) {
  return path.string() + " is empty: its process was killed before it recorded its ranks";
}

std::vector<Result<std::unique_ptr<Recording>>> openRecordings(
    const std::vector<fs::path>& paths, const std::shared_ptr<ReopenedFiles>& files,
    const Progress& progress, const std::vector<RankRange>& steps) {
  using Opened = Result<std::unique_ptr<Recording>>;
  std::vector<Opened> opened(paths.size());
  if (paths.size() == 1) {
    opened.front() = steps.empty() ? Recording::open(paths.front(), progress)
                                   : Recording::openSteps(paths.front(), steps, files, progress);
    return opened;
  }
  const bool areMany = paths.size() > mostOpenRecordings();
  const auto work = [&](std::size_t i) {
    if (!steps.empty()) {
      opened[i] = Recording::openSteps(paths[i], steps, files);
      return;
    }
    opened[i] = Recording::open(paths[i]);
    if (opened[i] && areMany) (*opened[i])->closeFile(files);
  };
  inParallel(paths.size(), work, progress);
  return opened;
}

}  // namespace shardlens
