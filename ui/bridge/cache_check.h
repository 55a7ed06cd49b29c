#pragma once

#include "core/model/event.h"
#include "ui/bridge/background_task.h"
#include "ui/bridge/engine_command.h"
#include "ui/bridge/run_folder.h"

namespace shardlens {

// Finds the answer of a cache's hit anew and compares it: an engine runs the program once more and
// works out whatever its caches remember. What is asked for takes the place of what was asked for
// before.
class CacheCheck final : public QObject {
  Q_OBJECT

 public:
  explicit CacheCheck(QObject* parent = nullptr);

  // The hit is of a run of this program, whose events come in the same order.
  void start(const std::string& program, const QString& name, EventId hit);
  void cancel();
  bool isRunning() const { return command_.isRunning() || reading_ != nullptr; }

 Q_SIGNALS:
  // Whether it is the same; else why not, or why nobody knows. Comes unless it is cancelled.
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
