#include "core/trace/merge/run_summary.h"

#include "core/model/step_number.h"
#include "core/trace/file/trace_open.h"
#include "core/trace/file/writer_lock.h"
#include "core/trace/journal/tensor_ranks.h"
#include "core/trace/merge/clocks.h"
#include "core/trace/merge/file_limit.h"
#include "core/trace/merge/in_parallel.h"
#include "core/trace/merge/recording.h"
#include "core/trace/merge/run_manifest.h"
#include "core/trace/merge/trace_run.h"

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <utility>

namespace shardlens {

namespace fs = std::filesystem;

namespace {

// Returns the recordings of a folder, by name.
Result<std::vector<fs::path>> recordingsIn(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code code;
  for (fs::directory_iterator each(folder, code), end; !code && each != end; each.increment(code)) {
    std::error_code broken;
    if (isRecordingName(each->path()) && !each->is_directory(broken)) found.push_back(each->path());
  }
  if (code) return fail(folder.string() + " cannot be read: " + code.message());
  std::sort(found.begin(), found.end());
  return found;
}

void copyMeta(const RecordingSummary& summary, Journal& to) {
  for (const auto& [key, value] : summary.meta) to.onMeta(key, value);
}

std::vector<RankRange> hostedBy(const RecordingSummary& summary) {
  Journal journal;
  copyMeta(summary, journal);
  return hostedRanges(journal);
}

int firstRank(const SummarizedFile& file) {
  return file.hosted.empty() ? -1 : file.hosted.front().first;
}

// Returns true if the process of the file was killed before it recorded its ranks.
bool isEmpty(const SummarizedFile& file) {
  const RecordingSummary& summary = file.summary;
  return !summary.isClosed && summary.events == 0 && !summary.meta.contains("hosted") &&
         !hasWriter(file.path);
}

// Summarises a file, unless `known` is its summary.
Result<SummarizedFile> summarized(const fs::path& path, const SummarizedFile* known,
                                  Unsealed unsealed) {
  SummarizedFile file = stateOf(path);
  if (known != nullptr && known->size == file.size && known->changed == file.changed) {
    return *known;
  }
  auto summary = summarize(path, unsealed);
  if (!summary) {
    if (const auto limit = reachedFileLimit()) {
      return fail(path.string() + " cannot be opened: " + *limit);
    }
    return tl::unexpected(summary.error());
  }
  file.summary = std::move(*summary);
  file.hosted = hostedBy(file.summary);
  return file;
}

// Returns why the file is not of the run of `first`, or has ranks of `before`, whose ranks are not
// higher.
std::optional<std::string> whyLeftOut(const SummarizedFile& file, const SummarizedFile& first,
                                      const SummarizedFile& before) {
  if (auto why = whyOfAnotherRun(file.path, file.summary.meta, first.path, first.summary.meta)) {
    return why;
  }
  if (firstRank(file) < 0 || firstRank(before) < 0) return std::nullopt;
  if (firstRank(file) > before.hosted.back().last) return std::nullopt;
  return otherRunText(file.path, "ranks " + rangesText(file.hosted),
                      "ranks beside the " + excerpt(rangesText(before.hosted)) + " of",
                      before.path);
}

// Leaves out files of another run than that of the first rank, as TraceRun::checkJoins() does.
void leaveOutOthers(RunSummary& run) {
  std::ranges::stable_sort(run.files, {}, firstRank);
  std::vector<SummarizedFile> ofRun;
  for (auto& file : run.files) {
    const auto why = ofRun.empty() ? std::nullopt : whyLeftOut(file, ofRun.front(), ofRun.back());
    if (why) {
      run.leftOut.push_back(*why);
    } else {
      ofRun.push_back(std::move(file));
    }
  }
  run.files = std::move(ofRun);
}

Result<RunSummary> summaryOf(const std::vector<fs::path>& paths, Unsealed unsealed,
                             const Progress& progress) {
  std::error_code code;
  const bool isFolder = paths.size() == 1 && fs::is_directory(paths.front(), code);
  auto files = isFolder ? recordingsIn(paths.front()) : Result<std::vector<fs::path>>(paths);
  if (!files) return tl::unexpected(files.error());
  const Manifest manifest = isFolder ? Manifest::read(paths.front()) : Manifest();

  std::vector<Result<SummarizedFile>> all(files->size());
  inParallel(
      files->size(),
      [&](std::size_t i) { all[i] = summarized((*files)[i], manifest.of((*files)[i]), unsealed); },
      progress);

  RunSummary run;
  for (auto& file : all) {
    if (file && isEmpty(*file)) {
      run.leftOut.push_back(emptyText(file->path));
    } else if (file) {
      run.files.push_back(std::move(*file));
    } else {
      run.leftOut.push_back(file.error().message);
    }
  }
  if (isFolder && unsealed == Unsealed::Read) manifest.update(run.files, *files, run.leftOut);
  if (run.files.empty()) {
    return fail(run.leftOut.empty() ? paths.front().string() +
                                          " has no recordings: expected files named *.shardlens"
                                    : run.leftOut.front());
  }
  leaveOutOthers(run);
  return run;
}

}  // namespace

std::vector<RankRange> RunSummary::hosted() const {
  std::vector<RankRange> ranges;
  for (const auto& file : files) {
    ranges.insert(ranges.end(), file.hosted.begin(), file.hosted.end());
  }
  return united(std::move(ranges));
}

std::int64_t RunSummary::events() const {
  std::int64_t sum = 0;
  for (const auto& file : files) sum += file.summary.events;
  return sum;
}

std::int64_t RunSummary::count(EventKind kind) const {
  std::int64_t sum = 0;
  for (const auto& file : files) sum += file.summary.count(kind);
  return sum;
}

std::int64_t RunSummary::steps() const {
  std::int64_t most = 0;
  for (const auto& file : files) most = std::max(most, file.summary.count(EventKind::Step));
  return most;
}

std::int64_t RunSummary::lastStep() const {
  int last = -1;
  for (const auto& file : files) {
    if (!file.summary.isClosed) return 0;
    last = std::max(last, file.summary.greatestStep);
  }
  return stepNumber(last);
}

std::int64_t RunSummary::end() const {
  std::deque<Journal> journals;
  std::vector<const Journal*> processes;
  for (const auto& file : files) {
    copyMeta(file.summary, journals.emplace_back());
    processes.push_back(&journals.back());
  }
  const Clocks clocks(processes);
  std::int64_t end = 0;
  for (std::size_t i = 0; i < files.size(); ++i) {
    end = std::max(end, clocks.read(i, files[i].summary.end).time);
  }
  return end;
}

std::vector<std::vector<RankRange>> RunSummary::programs() const {
  std::vector<std::vector<RankRange>> programs;
  std::map<std::pair<std::uint64_t, std::int64_t>, std::size_t> places;
  for (const auto& file : files) {
    const std::pair program{file.summary.program, file.summary.events};
    const auto [place, isNew] = places.try_emplace(program, programs.size());
    if (isNew) programs.emplace_back();
    auto& ranks = programs[place->second];
    ranks.insert(ranks.end(), file.hosted.begin(), file.hosted.end());
  }
  for (auto& ranks : programs) ranks = united(std::move(ranks));
  return programs;
}

Result<RunSummary> summarizeRun(const std::vector<fs::path>& paths, const Progress& progress) {
  return summaryOf(paths, Unsealed::Read, progress);
}

Result<RunSummary> previewRun(const std::vector<fs::path>& paths, const Progress& progress) {
  return summaryOf(paths, Unsealed::LeaveOut, progress);
}

}  // namespace shardlens
