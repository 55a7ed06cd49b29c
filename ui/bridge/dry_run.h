#pragma once

#include "core/view/run_costs.h"
#include "ui/bridge/background_task.h"
#include "ui/bridge/engine_command.h"
#include "ui/bridge/run_folder.h"

#include <QTimer>
#include <memory>

namespace shardlens {

// What a program would send, as an engine reckons it that goes through it without data. It runs as
// a process of its own; what is asked for takes the place of what was asked for before.
class DryRun final : public QObject {
  Q_OBJECT

 public:
  explicit DryRun(QObject* parent = nullptr);

  // After a short while, in which more may be typed. The name is that of the program in messages.
  void start(const std::string& program, const QString& name);
  void cancel();
  bool isRunning() const { return wait_.isActive() || command_.isRunning() || reading_; }

 Q_SIGNALS:
  // One of these comes, unless another program is asked for.
  void finished(const shardlens::view::RunCosts& costs);
  void failed(const QString& message);  // what no engine can run

 private:
  void run();
  void read();

  RunFolder folder_;
  std::string program_;
  QString name_;
  QTimer wait_;
  EngineCommand command_;
  std::unique_ptr<BackgroundTask> reading_;
};

}  // namespace shardlens
