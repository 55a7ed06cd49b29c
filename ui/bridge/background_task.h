#pragma once

#include "core/base/result.h"
#include "core/trace/file/progress.h"

#include <QFutureWatcher>
#include <QObject>
#include <functional>
#include <memory>

class QThreadPool;

namespace shardlens {

// Something long that is done on another thread. When this goes, nobody waits for the rest, and the
// work ends when it next tells its progress.
class BackgroundTask final : public QObject {
  Q_OBJECT

 public:
  // What the work makes it keeps where it and its caller both have it.
  using Work = std::function<Result<void>(const Progress& progress)>;

  // The subject begins what is said of an exception. Without a pool, in the program's.
  BackgroundTask(const std::string& subject, Work work, QObject* parent = nullptr,
                 QThreadPool* pool = nullptr);
  ~BackgroundTask() override;

 Q_SIGNALS:
  void progressed(int percent);
  // One of these comes last.
  void finished();
  void failed(const QString& message);

 private:
  using Outcome = std::shared_ptr<Result<void>>;

  void end();

  QFutureWatcher<Outcome> watcher_;
};

}  // namespace shardlens
