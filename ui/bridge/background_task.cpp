#include "ui/bridge/background_task.h"

#include <QPromise>
#include <QThreadPool>
#include <exception>
#include <utility>

namespace shardlens {
namespace {

struct GivenUp {};

}  // namespace

BackgroundTask::BackgroundTask(const std::string& subject, Work work, QObject* parent,
                               QThreadPool* pool)
    : QObject(parent) {
  connect(&watcher_, &QFutureWatcher<Outcome>::progressValueChanged, this,
          &BackgroundTask::progressed);
  connect(&watcher_, &QFutureWatcher<Outcome>::finished, this, &BackgroundTask::end);
  const auto promise = std::make_shared<QPromise<Outcome>>();
  watcher_.setFuture(promise->future());
  (pool == nullptr ? QThreadPool::globalInstance() : pool)
      ->start([promise, subject, work = std::move(work)] {
        promise->start();
        promise->setProgressRange(0, 100);
        const auto progress = [&promise](double done) {
          if (promise->isCanceled()) {
            throw GivenUp();
          }
          promise->setProgressValue(static_cast<int>(done * 100));
        };
        try {
          promise->addResult(std::make_shared<Result<void>>(work(progress)));
        } catch (const GivenUp&) {
        } catch (const std::exception& problem) {
          promise->addResult(std::make_shared<Result<void>>(fail(subject + ": " + problem.what())));
        }
        promise->finish();
      });
}

BackgroundTask::~BackgroundTask() {
  watcher_.disconnect(this);
  watcher_.cancel();
}

void BackgroundTask::end() {
  const Outcome outcome = watcher_.result();
  if (*outcome) {
    Q_EMIT finished();
  } else {
    Q_EMIT failed(QString::fromStdString(outcome->error().message));
  }
}

}  // namespace shardlens
