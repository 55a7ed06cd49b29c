#pragma once

#include "core/base/result.h"
#include "core/trace/file/progress.h"

#include <QFutureWatcher>
#include <QObject>
#include <functional>
#include <memory>

class QThreadPool;

namespace shardlens {

// A long-running function on a thread of a pool, started by the constructor. The destructor cancels
// the task without waiting for it: the work ends at its next progress report, which throws, and no
// signal is emitted any more.
class BackgroundTask final : public QObject {
  Q_OBJECT

 public:
  // Runs on the pool's thread, possibly longer than the task object lives. It shares the ownership
  // of its output with the caller, because it returns only success or an error.
  using Work = std::function<Result<void>(const Progress& progress)>;

  // If the work throws a std::exception, the message of failed() is its text after `subject`
  // ("subject: text"). Uses the global thread pool if `pool` is null. The signals are emitted by
  // the event loop of the calling thread, never by the constructor.
  BackgroundTask(const std::string& subject, Work work, QObject* parent = nullptr,
                 QThreadPool* pool = nullptr);
  ~BackgroundTask() override;

 Q_SIGNALS:
  // 0 to 100.
  void progressed(int percent);
  // Exactly one of these two is emitted, as the last signal.
  void finished();
  void failed(const QString& message);

 private:
  using Outcome = std::shared_ptr<Result<void>>;

  void end();

  QFutureWatcher<Outcome> watcher_;
};

}  // namespace shardlens
