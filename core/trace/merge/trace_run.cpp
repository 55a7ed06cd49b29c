#include "core/trace/merge/trace_run.h"

#include "core/model/ranks_text.h"
#include "core/trace/file/trace_open.h"
#include "core/trace/journal/tensor_ranks.h"

#include <sqlite3.h>

#include <algorithm>
#include <system_error>

namespace shardlens {

namespace fs = std::filesystem;

namespace {

constexpr double kRead = 0.3;  // fraction of the progress for reading; the rest is for merging
// Events per call, or comparable work: a few milliseconds.
constexpr std::int64_t kSlice = 32 * kBlockEvents;

const Journal& noJournal() {
  static const Journal journal;
  return journal;
}

// Returns true if the hosted ranks are known. A process writes "hosted" last, after all other
// metadata; a process that never writes it hosts all ranks.
bool hasHosted(const Recording& recording) {
  return !recording.journal().meta("hosted").empty() || recording.journal().size() > 0;
}

// Returns -1 for a process that hosts no ranks.
int firstRank(const Recording& recording) {
  const auto ranges = hostedRanges(recording.journal());
  return ranges.empty() ? -1 : ranges.front().first;
}

}  // namespace

bool isRecordingName(const fs::path& path) {
  return path.extension() == ".shardlens" && !path.filename().string().starts_with('.');
}

Result<std::unique_ptr<Recording>> Recording::open(const fs::path& path, const Progress& progress) {
  auto database = openRecording(path);
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

Result<bool> Recording::load() {
  try {
    return loader_->load(kSlice);
  } catch (const DatabaseError& problem) {
    return tl::unexpected(explain(path_, problem));
  }
}

std::vector<int> Recording::lostRanks() {
  return mayGrow() || loader_->isClosed() ? std::vector<int>() : hostedRanks(journal());
}

std::vector<std::string> Recording::leftOut() const {
  const std::string problem = journal().values().problem();
  if (problem.empty()) return {};
  return {explain(path_, DatabaseError(SQLITE_CORRUPT, problem)).message};
}

Result<std::unique_ptr<TraceRun>> TraceRun::open(const std::vector<fs::path>& paths,
                                                 const Progress& progress) {
  const auto reading = partOf(progress, 0, kRead);
  auto run = std::make_unique<TraceRun>();
  for (const auto& path : paths) {
    std::error_code code;
    if (fs::is_directory(path, code)) {
      run->folders_.push_back(path);
    } else if (const auto taken = run->take(path, {}); !taken) {
      return tl::unexpected(taken.error());
    }
  }
  if (const auto looked = run->look(reading); !looked) return tl::unexpected(looked.error());
  if (run->known_.empty()) {
    if (!run->leftOut_.empty()) return fail(run->leftOut_.begin()->second.reason);
    return fail(paths.front().string() + " has no recordings: expected files named *.shardlens");
  }
  if (const auto merged = run->mergeAll(partOf(progress, kRead, 1)); !merged) {
    return tl::unexpected(merged.error());
  }
  return run;
}

Result<void> TraceRun::mergeAll(const Progress& progress) {
  for (;;) {
    const auto loaded = load();
    if (!loaded) return tl::unexpected(loaded.error());
    if (!*loaded) return {};
    if (!progress || joined_.empty()) continue;
    const auto all = std::max<EventId>(joined_.front()->journal().size(), 1);
    progress(std::min(1.0, static_cast<double>(journal().size()) / all));
  }
}

Result<void> TraceRun::look(const Progress& progress) {
  std::set<fs::path> found;
  for (const auto& folder : folders_) {
    std::error_code code;
    for (fs::directory_iterator each(folder, code), end; !code && each != end;
         each.increment(code)) {
      // A link that leads nowhere is reported when it is opened.
      std::error_code broken;
      if (isRecordingName(each->path()) && !each->is_directory(broken)) found.insert(each->path());
    }
    if (code) return fail(folder.string() + " cannot be read: " + code.message());
  }
  double done = 0;
  for (const auto& path : found) {
    const double next = done + 1.0 / static_cast<double>(found.size());
    takeFolder(path, partOf(progress, done, next));
    done = next;
  }
  std::erase_if(leftOut_, [&](const auto& file) { return !found.contains(file.first); });
  return {};
}

Result<void> TraceRun::take(const fs::path& path, const Progress& progress) {
  std::error_code code;
  const fs::path name = fs::weakly_canonical(path, code);
  if (known_.contains(name)) return {};
  auto recording = Recording::open(path, progress);
  if (!recording) return tl::unexpected(recording.error());
  known_.insert(name);
  waiting_.push_back(std::move(*recording));
  return {};
}

// Opens a file of a folder. A file that cannot be opened does not fail the run. It may be an
// incomplete copy, so it is retried when it has changed.
void TraceRun::takeFolder(const fs::path& path, const Progress& progress) {
  if (taken_.contains(path)) return;
  std::error_code code;
  LeftOut now{fs::last_write_time(path, code), fs::file_size(path, code), {}};
  const auto before = leftOut_.find(path);
  if (before != leftOut_.end() && before->second.changed == now.changed &&
      before->second.size == now.size) {
    return;
  }
  leftOut_.erase(path);
  if (const auto taken = take(path, progress); !taken) {
    now.reason = taken.error().message;
    leftOut_.emplace(path, std::move(now));
  } else {
    taken_.insert(path);
  }
}

std::vector<std::string> TraceRun::leftOut() const {
  std::vector<std::string> reasons;
  for (const auto& [path, file] : leftOut_) reasons.push_back(file.reason);
  for (const auto& recording : joined_) {
    for (auto& reason : recording->leftOut()) reasons.push_back(std::move(reason));
  }
  return reasons;
}

std::vector<RecordedAt> TraceRun::recordedAt(EventId id) const {
  if (!merge_) return {{joined_.front()->path(), id}};
  std::vector<RecordedAt> files;
  for (const auto& part : merge_->partsOf(id)) {
    files.push_back({joined_[part.process]->path(), part.id});
  }
  return files;
}

// A single process needs no merge.
const Journal& TraceRun::journal() const {
  if (merge_) return merge_->journal();
  return joined_.empty() ? noJournal() : joined_.front()->journal();
}

Result<bool> TraceRun::load() {
  if (outdated_) return false;
  if (const auto looked = look({}); !looked) return tl::unexpected(looked.error());
  bool any = false, isBehind = false, hasGoneOn = false;
  for (auto* group : {&joined_, &waiting_}) {
    for (const auto& recording : *group) {
      const EventId had = recording->journal().size();
      const auto loaded = recording->load();
      if (!loaded) return loaded;
      any |= *loaded;
      hasGoneOn |= recording->journal().size() != had;
      isBehind |= recording->isBehind();
    }
  }
  const EventId before = journal().size();
  const auto more = join();
  if (!more) return more;
  outdated_ = (ahead_ && hasGoneOn) || (*more && before > 0);
  if (outdated_) return false;
  if (*more && joined_.size() > 1) merge();
  if (!merge_) return *more || any || isBehind;
  const bool advanced = merge_ && merge_->advance(kSlice);
  const bool isAll = journal().size() - before < kSlice;
  const bool settled = isAll && !mayGrow() && settle();
  return *more || advanced || settled || isBehind;
}

bool TraceRun::settle() {
  if (!merge_ || outdated_) return false;
  const EventId before = journal().size();
  const bool any = merge_->finish(kSlice);
  ahead_ |= journal().size() != before;
  return any;
}

bool TraceRun::mayGrow() {
  const auto grows = [](const auto& recording) { return recording->mayGrow(); };
  return std::any_of(joined_.begin(), joined_.end(), grows) ||
         std::any_of(waiting_.begin(), waiting_.end(), grows);
}

std::vector<int> TraceRun::lostRanks() {
  std::vector<int> lost;
  for (const auto& recording : joined_) {
    const auto ranks = recording->lostRanks();
    lost.insert(lost.end(), ranks.begin(), ranks.end());
  }
  std::sort(lost.begin(), lost.end());
  return lost;
}

Result<bool> TraceRun::join() {
  bool any = false;
  for (auto& recording : waiting_) {
    if (!hasHosted(*recording)) continue;
    if (const auto joins = checkJoins(*recording); !joins) {
      std::erase(waiting_, nullptr);
      return tl::unexpected(joins.error());
    }
    for (const auto& [first, last] : hostedRanges(recording->journal())) {
      hosted_[first] = {last, recording.get()};
    }
    joined_.push_back(std::move(recording));
    any = true;
  }
  std::erase(waiting_, nullptr);
  std::sort(joined_.begin(), joined_.end(),
            [](const auto& a, const auto& b) { return firstRank(*a) < firstRank(*b); });
  return any;
}

// Returns an error if the recording does not belong to the joined ones: other settings, or a rank
// hosted twice. An unknown mesh is accepted, because each rank of a job learns the mesh at a
// different time.
Result<void> TraceRun::checkJoins(const Recording& recording) const {
  if (joined_.empty()) return {};
  const auto refuse = [&](const std::string& got, const std::string& expected,
                          const Recording& other) {
    return fail(recording.path().string() + " is of another run: got " + excerpt(got) +
                ", expected " + expected + " " + other.path().string());
  };
  const Recording& other = *joined_.front();
  for (const char* key : {"mesh", "backend", "masking", "emulate", "planner"}) {
    const std::string mine(recording.journal().meta(key));
    const std::string theirs(other.journal().meta(key));
    const bool isOpen = key == std::string_view("mesh") && (mine.empty() || theirs.empty());
    if (mine != theirs && !isOpen) {
      return refuse(std::string(key) + " " + mine, excerpt(theirs) + " as in", other);
    }
  }
  if (recording.journal().meta("scenario") != other.journal().meta("scenario")) {
    return refuse("another scenario", "that of", other);
  }
  const auto mine = hostedRanges(recording.journal());
  for (const auto& range : mine) {
    const Recording* host = hostOf(range);
    if (host == nullptr) continue;
    return refuse("ranks " + rangesText(mine),
                  "ranks beside the " + excerpt(rangesText(hostedRanges(host->journal()))) + " of",
                  *host);
  }
  return {};
}

// Returns the recording that hosts any of these ranks, or null.
const Recording* TraceRun::hostOf(const RankRange& ranks) const {
  const auto after = hosted_.upper_bound(ranks.last);
  if (after == hosted_.begin()) return nullptr;
  const Hosted& before = std::prev(after)->second;
  return before.last < ranks.first ? nullptr : before.by;
}

void TraceRun::merge() {
  std::vector<const Journal*> journals;
  for (const auto& recording : joined_) journals.push_back(&recording->journal());
  merge_ = std::make_unique<JournalMerge>(journals);
}

}  // namespace shardlens
