#pragma once

#include "core/view/tables/run_costs.h"
#include "ui/bridge/background_task.h"
#include "ui/bridge/engine_command.h"
#include "ui/bridge/run_folder.h"

#include <QTimer>
#include <memory>

namespace shardlens {

// Estimates the communication of a program: an engine process executes it without data. A new
// estimate cancels the one in progress.
class DryRun final : public QObject {
  Q_OBJECT

 public:
  explicit DryRun(QObject* parent = nullptr);

  // Starts the engine after 200 ms without another call, so that typing does not start one per key.
  // `name` names the program in messages.
  void start(const std::string& program, const QString& name);
  void cancel();  // no signal is emitted after this
  bool isRunning() const { return wait_.isActive() || command_.isRunning() || reading_; }

 Q_SIGNALS:
  // Exactly one of these two is emitted, unless the estimate is cancelled or replaced. A step that
  // the engine refuses is part of the costs (RunCosts::refusal), not a failure.
  void finished(const shardlens::view::RunCosts& costs);
  void failed(const QString& message);

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
