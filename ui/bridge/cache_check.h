#pragma once

#include "core/model/event.h"
#include "ui/bridge/background_task.h"
#include "ui/bridge/engine_command.h"
#include "ui/bridge/run_folder.h"

namespace shardlens {

// Verifies a cache hit: an engine process runs the program again, recomputes every cached result
// and compares it with the cache entry. A new check cancels the one in progress.
class CacheCheck final : public QObject {
  Q_OBJECT

 public:
  explicit CacheCheck(QObject* parent = nullptr);

  // Starts a check. `hit` is the event id of the cache hit in an earlier run of this program; the
  // new run must produce its events in the same order. `name` names the program in messages. Emits
  // checked() before returning if the program cannot be written to a temporary file.
  void start(const std::string& program, const QString& name, EventId hit);
  // Kills the engine process. checked() is not emitted for this check.
  void cancel();
  bool isRunning() const { return command_.isRunning() || reading_ != nullptr; }

 Q_SIGNALS:
  // Emitted once per start() unless the check is cancelled. If `isSame` is false, `why` is the
  // difference or the reason why the check could not be made.
  void checked(shardlens::EventId hit, bool isSame, const QString& why);

 private:
  void read();

  RunFolder folder_;
  QString name_;
  EventId hit_ = 0;
  EngineCommand command_;
  std::unique_ptr<BackgroundTask> reading_;
};

}  // namespace shardlens
