#include "ui/bridge/recording_opener.h"

#include "ui/bridge/named_paths.h"

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

Result<OpenedRecording> openRecordingsAt(const Paths& paths, const Progress& progress) {
  auto reader = TraceReader::open(paths, partOf(progress, 0, kRead));
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

// Returns the shared recording of a file that is unchanged and complete, or null.
SharedRecording openAlready(const QStringList& paths) {
  const auto found = paths.size() == 1 ? readFiles().find(paths.front()) : readFiles().end();
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

RecordingOpener::RecordingOpener(const QStringList& paths, Totals totals)
    : paths_(paths), recording_(openAlready(paths)) {
  if (recording_ != nullptr) {
    QMetaObject::invokeMethod(
        this, [this] { Q_EMIT opened(recording_); }, Qt::QueuedConnection);
    return;
  }
  recording_ = newRecording();
  const QFileInfo first(paths.front());
  const bool isLarge = paths.size() == 1 && (first.isDir() || first.size() >= kLarge);
  if (totals == Totals::First && isLarge) {
    summarize(paths.front());
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
    read();
    if (summary->events() > 0) {
      Q_EMIT summarized(*summary);
    }
  });
}

void RecordingOpener::read() {
  const QFileInfo file(paths_.front());
  const ReadFile read{file.lastModified(), file.size(), recording_};
  task_ = std::make_unique<BackgroundTask>(
      paths_.front().toStdString(),
      [into = recording_, paths = toPaths(paths_)](const Progress& progress) {
        return openRecordingsAt(paths, progress).map([&](OpenedRecording&& opened) {
          *into = std::move(opened);
        });
      });
  connect(task_.get(), &BackgroundTask::progressed, this, &RecordingOpener::progressed);
  connect(task_.get(), &BackgroundTask::failed, this, &RecordingOpener::failed);
  connect(task_.get(), &BackgroundTask::finished, this, [this, read] {
    readFiles().removeIf([](auto each) { return each->recording.expired(); });
    if (paths_.size() == 1 && QFileInfo(paths_.front()).isFile()) {
      readFiles().insert(paths_.front(), read);
    }
    Q_EMIT opened(recording_);
  });
}

}  // namespace shardlens
