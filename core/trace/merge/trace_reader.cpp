#include "core/trace/merge/trace_reader.h"

#include "core/trace/merge/trace_run.h"

#include <system_error>

namespace shardlens {

// Holds either a single file, read directly, or a run of several, which are merged.
class TraceReader::Impl {
 public:
  explicit Impl(std::unique_ptr<Recording> file) : file_(std::move(file)) {}
  explicit Impl(std::unique_ptr<TraceRun> run) : run_(std::move(run)) {}

  const Journal& journal() const { return file_ ? file_->journal() : run_->journal(); }
  Result<bool> load() { return file_ ? file_->load() : run_->load(); }
  bool isLoading() const { return run_ && run_->isLoading(); }
  bool isOutdated() const { return run_ && run_->isOutdated(); }
  bool settle() { return run_ && run_->settle(); }
  bool awaits() const { return run_ && run_->awaits(); }
  std::vector<std::string> leftOut() const { return file_ ? file_->leftOut() : run_->leftOut(); }
  std::vector<int> lostRanks() { return file_ ? file_->lostRanks() : run_->lostRanks(); }
  bool mayGrow() { return file_ ? file_->mayGrow() : run_->mayGrow(); }
  bool hasLater() const { return file_ ? file_->hasLater() : run_->hasLater(); }

  std::vector<RecordedAt> recordedAt(EventId id) const {
    return file_ ? std::vector<RecordedAt>{{file_->path(), file_->ownIdOf(id)}}
                 : run_->recordedAt(id);
  }

 private:
  std::unique_ptr<Recording> file_;
  std::unique_ptr<TraceRun> run_;
};

Result<std::unique_ptr<TraceReader>> TraceReader::open(const std::filesystem::path& path) {
  return open(std::vector{path});
}

Result<std::unique_ptr<TraceReader>> TraceReader::open(
    const std::vector<std::filesystem::path>& paths, const Progress& progress) {
  return open(paths, std::vector<RankRange>(), progress);
}

Result<std::unique_ptr<TraceReader>> TraceReader::open(
    const std::vector<std::filesystem::path>& paths, const std::vector<RankRange>& steps,
    const Progress& progress) {
  const auto reader = [](auto opened) {
    return std::unique_ptr<TraceReader>(new TraceReader(std::make_unique<Impl>(std::move(opened))));
  };
  std::error_code code;
  if (paths.size() == 1 && !std::filesystem::is_directory(paths.front(), code)) {
    if (steps.empty()) return Recording::open(paths.front(), progress).map(reader);
    return Recording::openSteps(paths.front(), steps, std::make_shared<ReopenedFiles>(), progress)
        .map(reader);
  }
  return TraceRun::open(paths, steps, progress).map(reader);
}

TraceReader::TraceReader(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
TraceReader::~TraceReader() = default;

const Journal& TraceReader::journal() const { return impl_->journal(); }
Result<bool> TraceReader::refresh() { return impl_->load(); }
bool TraceReader::isLoading() const { return impl_->isLoading(); }
bool TraceReader::isOutdated() const { return impl_->isOutdated(); }
bool TraceReader::settle() { return impl_->settle(); }
bool TraceReader::awaits() const { return impl_->awaits(); }
bool TraceReader::mayGrow() { return impl_->mayGrow(); }
bool TraceReader::hasLater() const { return impl_->hasLater(); }
std::vector<int> TraceReader::lostRanks() { return impl_->lostRanks(); }
std::vector<std::string> TraceReader::leftOut() const { return impl_->leftOut(); }
std::vector<RecordedAt> TraceReader::recordedAt(EventId id) const { return impl_->recordedAt(id); }

}  // namespace shardlens
