#include "ui/bridge/recording_opener.h"

#include <QFileInfo>
#include <QPromise>
#include <QThreadPool>
#include <exception>
#include <utility>

namespace shardlens {
namespace {

constexpr EventId kIndexed = 64 * kBlockEvents;  // between two words of progress
constexpr double kRead = 0.5;                    // of the time, then the index is made

struct GivenUp {};

Result<OpenedRecording> openRecordingAt(const std::string& path, const Progress& progress) {
  auto reader = TraceReader::open({path}, partOf(progress, 0, kRead));
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

}  // namespace

RecordingOpener::RecordingOpener(const QString& path) {
  connect(&watcher_, &QFutureWatcher<Outcome>::progressValueChanged, this,
          &RecordingOpener::progressed);
  connect(&watcher_, &QFutureWatcher<Outcome>::finished, this, &RecordingOpener::finished);
  const auto promise = std::make_shared<QPromise<Outcome>>();
  watcher_.setFuture(promise->future());
  QThreadPool::globalInstance()->start([promise, path = path.toStdString()] {
    promise->start();
    promise->setProgressRange(0, 100);
    const auto progress = [&promise](double done) {
      if (promise->isCanceled()) {
        throw GivenUp();
      }
      promise->setProgressValue(static_cast<int>(done * 100));
    };
    try {
      promise->addResult(
          std::make_shared<Result<OpenedRecording>>(openRecordingAt(path, progress)));
    } catch (const GivenUp&) {
    } catch (const std::exception& problem) {
      promise->addResult(
          std::make_shared<Result<OpenedRecording>>(fail(path + ": " + problem.what())));
    }
    promise->finish();
  });
}

RecordingOpener::~RecordingOpener() {
  watcher_.disconnect(this);
  watcher_.cancel();
}

void RecordingOpener::finished() {
  const Outcome outcome = watcher_.result();
  if (*outcome) {
    Q_EMIT opened(**outcome);
  } else {
    Q_EMIT failed(QString::fromStdString(outcome->error().message));
  }
}

}  // namespace shardlens
