#include "core/trace/merge/trace_run.h"

#include "core/model/ranks_text.h"
#include "core/trace/file/trace_open.h"
#include "core/trace/journal/tensor_ranks.h"
#include "core/trace/merge/file_limit.h"

#include <algorithm>
#include <iterator>
#include <system_error>
#include <utility>

namespace shardlens {

namespace fs = std::filesystem;

namespace {

constexpr double kRead = 0.5;  // fraction of the progress for reading; the rest is for merging
constexpr std::int64_t kSlice = Recording::kSlice;
constexpr std::size_t kLoadedAtOnce = 8;  // recordings, each of which takes up to some milliseconds
constexpr EventId kLeastMerged = 512;     // events of a slice

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

std::string otherRunText(const fs::path& path, const std::string& got, const std::string& expected,
                         const fs::path& other) {
  return path.string() + " is of another run: got " + excerpt(got) + ", expected " + expected +
         " " + other.string();
}

std::optional<std::string> whyOfAnotherRun(const fs::path& path, const Metadata& mine,
                                           const fs::path& other, const Metadata& theirs) {
  const auto textOf = [](const Metadata& meta, const char* key) {
    const auto found = meta.find(key);
    return found == meta.end() ? std::string() : found->second;
  };
  for (const char* key : {"mesh", "backend", "masking", "emulate", "planner"}) {
    const std::string got = textOf(mine, key), expected = textOf(theirs, key);
    const bool isOpen = key == std::string_view("mesh") && (got.empty() || expected.empty());
    if (got == expected || isOpen) continue;
    return otherRunText(path, std::string(key) + " " + got, excerpt(expected) + " as in", other);
  }
  if (scenarioHash(mine) == scenarioHash(theirs)) return std::nullopt;
  return otherRunText(path, "another scenario", "that of", other);
}

bool isRecordingName(const fs::path& path) {
  return path.extension() == ".shardlens" && !path.filename().string().starts_with('.');
}

Result<std::unique_ptr<TraceRun>> TraceRun::open(const std::vector<fs::path>& paths,
                                                 const std::vector<RankRange>& steps,
                                                 const Progress& progress) {
  const auto reading = partOf(progress, 0, kRead);
  auto run = std::make_unique<TraceRun>();
  run->steps_ = steps;
  std::vector<fs::path> files;
  for (const auto& path : paths) {
    std::error_code code;
    const bool isFolder = fs::is_directory(path, code);
    if (!isFolder && !run->known_.insert(fs::weakly_canonical(path, code)).second) continue;
    (isFolder ? run->folders_ : files).push_back(path);
  }
  raiseFileLimit(files.size() * kFilesOfRecording);
  for (auto& opened :
       openRecordings(files, run->reopened_, run->folders_.empty() ? reading : Progress(), steps)) {
    if (!opened) return tl::unexpected(opened.error());
    run->waiting_.push_back(std::move(*opened));
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
    if (joined_.empty()) continue;
    const auto all = std::max<EventId>(joined_.front()->journal().size(), 1);
    do {
      if (progress) progress(std::min(1.0, static_cast<double>(journal().size()) / all));
    } while (merge_ && merge_->advance(kSlice));
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
    if (code) {
      const auto limit = reachedFileLimit();
      return fail(folder.string() + " cannot be read: " + limit.value_or(code.message()));
    }
  }
  std::erase_if(leftOut_, [&](const auto& file) { return !found.contains(file.first); });
  std::vector<fs::path> files;
  std::copy_if(found.begin(), found.end(), std::back_inserter(files),
               [this](const fs::path& path) { return isToOpen(path); });
  if (files.empty()) return {};
  raiseFileLimit(found.size() * kFilesOfRecording);
  auto opened = openRecordings(files, reopened_, progress, steps_);
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (opened[i]) {
      leftOut_.erase(files[i]);
      taken_.insert(files[i]);
      take(std::move(*opened[i]));
    } else {
      leftOut_[files[i]].reason = opened[i].error().message;
    }
  }
  return {};
}

// Returns true if a file of a folder is to be opened. A file that could not be opened does not fail
// the run. It may be an incomplete copy, so it is retried when it has changed.
bool TraceRun::isToOpen(const fs::path& path) {
  if (taken_.contains(path)) return false;
  std::error_code code;
  const LeftOut now{fs::last_write_time(path, code), fs::file_size(path, code), {}};
  const auto [before, isNew] = leftOut_.try_emplace(path, now);
  if (!isNew && before->second.changed == now.changed && before->second.size == now.size) {
    return false;
  }
  before->second = now;
  return true;
}

// Ignores a recording that is already open under another name.
void TraceRun::take(std::unique_ptr<Recording> recording) {
  std::error_code code;
  if (known_.insert(fs::weakly_canonical(recording->path(), code)).second) {
    waiting_.push_back(std::move(recording));
  }
}

std::vector<std::string> TraceRun::leftOut() const {
  std::vector<std::string> reasons;
  for (const auto& [path, file] : leftOut_) reasons.push_back(file.reason);
  for (const auto* group : {&joined_, &waiting_}) {
    for (const auto& recording : *group) {
      for (auto& reason : recording->leftOut()) reasons.push_back(std::move(reason));
    }
  }
  return reasons;
}

std::vector<RecordedAt> TraceRun::recordedAt(EventId id) const {
  if (!merge_) return {{joined_.front()->path(), joined_.front()->ownIdOf(id)}};
  std::vector<RecordedAt> files;
  for (const auto& part : merge_->partsOf(id)) {
    const Recording& recording = *joined_[part.process];
    files.push_back({recording.path(), recording.ownIdOf(part.id)});
  }
  return files;
}

// A single process needs no merge.
const Journal& TraceRun::journal() const {
  if (merge_) return merge_->journal();
  return joined_.empty() ? noJournal() : joined_.front()->journal();
}

// Merges only after each recording was visited, because merged events need all processes.
Result<bool> TraceRun::load() {
  if (outdated_) return false;
  if (pass_.next == 0) {
    if (const auto looked = look({}); !looked) return tl::unexpected(looked.error());
  }
  const auto loaded = loadSome();
  if (!loaded || isLoading()) return loaded;
  if (outdated_) return false;
  const auto [next, any, isBehind] = std::exchange(pass_, {});
  const EventId before = journal().size();
  const auto more = join();
  if (!more) return more;
  outdated_ |= *more && before > 0;
  if (outdated_) return false;
  if (*more && joined_.size() > 1) merge();
  if (!merge_) return *more || any || isBehind;
  const bool advanced = merge_ && merge_->advance(slice());
  const bool isAll = journal().size() - before < slice();
  const bool settled = isAll && !mayGrow() && settle();
  return *more || advanced || settled || isBehind;
}

// Continues the pass. Returns true if something was loaded. Afterwards isLoading() returns true if
// recordings are left to be visited.
Result<bool> TraceRun::loadSome() {
  const std::size_t all = joined_.size() + waiting_.size();
  std::size_t loaded = 0;
  bool hasGoneOn = false;
  for (; pass_.next < all && loaded < kLoadedAtOnce; ++pass_.next) {
    const std::size_t place = pass_.next;
    Recording& recording =
        place < joined_.size() ? *joined_[place] : *waiting_[place - joined_.size()];
    const EventId had = recording.journal().size();
    const auto any = recording.load();
    if (!any) return any;
    loaded += *any ? 1 : 0;
    pass_.any |= *any;
    pass_.isBehind |= recording.isBehind();
    hasGoneOn |= recording.journal().size() != had;
  }
  if (pass_.next == all) pass_.next = 0;
  outdated_ |= ahead_ && hasGoneOn;
  return loaded > 0 && !outdated_;
}

// Merging an event takes time for each of its processes.
EventId TraceRun::slice() const {
  return std::max(static_cast<EventId>(kSlice / std::ssize(joined_)), kLeastMerged);
}

bool TraceRun::settle() {
  if (!merge_ || outdated_) return false;
  const EventId before = journal().size();
  const bool any = merge_->finish(slice());
  ahead_ |= journal().size() != before;
  return any;
}

bool TraceRun::mayGrow() {
  const auto grows = [](const auto& recording) { return recording->mayGrow(); };
  return std::any_of(joined_.begin(), joined_.end(), grows) ||
         std::any_of(waiting_.begin(), waiting_.end(), grows);
}

bool TraceRun::hasLater() const {
  return std::ranges::any_of(joined_, [](const auto& recording) { return recording->hasLater(); });
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

// Returns an error if the recording does not belong to the joined ones: other metadata, or a rank
// hosted twice.
Result<void> TraceRun::checkJoins(const Recording& recording) const {
  if (joined_.empty()) return {};
  const Recording& other = *joined_.front();
  if (auto why = whyOfAnotherRun(recording.path(), recording.journal().meta(), other.path(),
                                 other.journal().meta())) {
    return fail(std::move(*why));
  }
  const auto mine = hostedRanges(recording.journal());
  for (const auto& range : mine) {
    const Recording* host = hostOf(range);
    if (host == nullptr) continue;
    const auto theirs = excerpt(rangesText(hostedRanges(host->journal())));
    return fail(otherRunText(recording.path(), "ranks " + rangesText(mine),
                             "ranks beside the " + theirs + " of", host->path()));
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
