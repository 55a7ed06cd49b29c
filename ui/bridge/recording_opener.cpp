#include "ui/bridge/recording_opener.h"

#include <QDateTime>
#include <QFileInfo>
#include <QHash>
#include <QThreadPool>
#include <cstdlib>
#include <utility>
#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace shardlens {
namespace {

constexpr EventId kIndexed = 64 * kBlockEvents;  // events indexed between two progress reports
constexpr double kRead = 0.5;                    // reading's share of the progress
constexpr qint64 kLarge = 8 << 20;               // bytes of a file whose totals are read first

std::int64_t mostEvents = 20'000'000;

Result<OpenedRecording> openRecordingsAt(const RecordingSource& source, const Progress& progress) {
  auto reader = openSource(source, partOf(progress, 0, kRead));
  if (!reader) {
    return tl::unexpected(reader.error());
  }
  OpenedRecording opened{std::move(*reader), nullptr};
  const Journal& journal = opened.reader->journal();
  opened.states = std::make_unique<StateIndex>(journal);
  const auto index = partOf(progress, kRead, 1);
  while (opened.states->takeIn(kIndexed)) {
    index(static_cast<double>(opened.states->size()) / journal.size());
  }
  return opened;
}

// The state of a file when it was read.
struct ReadFile {
  QDateTime written;
  qint64 size = 0;
  std::weak_ptr<OpenedRecording> recording;
};

// The files read so far, by path. GUI thread only.
QHash<QString, ReadFile>& readFiles() {
  static QHash<QString, ReadFile> files;
  return files;
}

// Returns the shared recording of a file that is unchanged and complete, or null. Some steps of a
// file are not shared.
SharedRecording openAlready(const RecordingSource& source) {
  const QStringList& paths = source.paths;
  const bool isFile = paths.size() == 1 && source.steps.empty();
  const auto found = isFile ? readFiles().find(paths.front()) : readFiles().end();
  if (found == readFiles().end()) {
    return nullptr;
  }
  const QFileInfo file(paths.front());
  const SharedRecording recording = found->recording.lock();
  const bool isSame =
      recording != nullptr && file.lastModified() == found->written && file.size() == found->size;
  return isSame && !recording->reader->mayGrow() ? recording : nullptr;
}

// Deletes a recording and returns its memory to the system. A run that is opened again is loaded
// while the previous one is shown, so that glibc would keep the memory of both.
void release(OpenedRecording* recording) {
  delete recording;
#ifdef __GLIBC__
  ::malloc_trim(0);
#endif
}

// Returns an empty recording that is deleted on another thread.
SharedRecording newRecording() {
  return {new OpenedRecording, [](OpenedRecording* recording) {
            QThreadPool::globalInstance()->start([recording] { release(recording); });
          }};
}

}  // namespace

RecordingOpener::RecordingOpener(RecordingSource source, Totals totals)
    : source_(std::move(source)), totals_(totals), recording_(openAlready(source_)) {
  if (recording_ != nullptr) {
    QMetaObject::invokeMethod(
        this, [this] { Q_EMIT opened(recording_); }, Qt::QueuedConnection);
    return;
  }
  recording_ = newRecording();
  const QFileInfo first(source_.paths.front());
  const bool isLarge = first.isDir() || first.size() >= kLarge || !source_.steps.empty();
  if (totals != Totals::None && source_.paths.size() == 1 && isLarge) {
    summarize(source_.paths.front());
  } else {
    read();
  }
}

// An error is ignored, because reading the events finds it again.
void RecordingOpener::summarize(const QString& path) {
  const auto summary = std::make_shared<RunSummary>();
  task_ = std::make_unique<BackgroundTask>(path.toStdString(), [summary, path = path.toStdString()](
                                                                   const Progress& progress) {
    return previewRun({path}, progress).map([&](RunSummary&& read) { *summary = std::move(read); });
  });
  connect(task_.get(), &BackgroundTask::failed, this, [this] {
    task_.release()->deleteLater();  // the sender of this signal
    read();
  });
  connect(task_.get(), &BackgroundTask::finished, this, [this, summary] {
    task_.release()->deleteLater();
    awaitsSteps_ = totals_ == Totals::Ask && source_.steps.empty() && summary->events() > most();
    if (!awaitsSteps_) {
      read();
    }
    if (summary->events() > 0) {
      Q_EMIT summarized(*summary);
    }
  });
}

std::int64_t RecordingOpener::most() { return mostEvents; }
void RecordingOpener::setMost(std::int64_t events) { mostEvents = events; }

void RecordingOpener::readSteps(std::vector<RankRange> steps) {
  awaitsSteps_ = false;
  source_.steps = std::move(steps);
  read();
}

void RecordingOpener::read() {
  const QFileInfo file(source_.paths.front());
  const ReadFile read{file.lastModified(), file.size(), recording_};
  task_ = std::make_unique<BackgroundTask>(
      source_.paths.front().toStdString(),
      [into = recording_, source = source_](const Progress& progress) {
        return openRecordingsAt(source, progress).map([&](OpenedRecording&& opened) {
          *into = std::move(opened);
        });
      });
  connect(task_.get(), &BackgroundTask::progressed, this, &RecordingOpener::progressed);
  connect(task_.get(), &BackgroundTask::failed, this, &RecordingOpener::failed);
  connect(task_.get(), &BackgroundTask::finished, this, [this, read] {
    readFiles().removeIf([](auto each) { return each->recording.expired(); });
    const QStringList& paths = source_.paths;
    if (paths.size() == 1 && source_.steps.empty() && QFileInfo(paths.front()).isFile()) {
      readFiles().insert(paths.front(), read);
    }
    Q_EMIT opened(recording_);
  });
}

}  // namespace shardlens
