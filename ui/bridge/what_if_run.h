#pragma once

#include "core/view/tables/placement_costs.h"
#include "ui/bridge/engine_command.h"
#include "ui/bridge/run_folder.h"

namespace shardlens {

// Estimates the cost of a program for each possible placement of one of its tensors, in an engine
// process. A new estimate cancels the one in progress.
class WhatIfRun final : public QObject {
  Q_OBJECT

 public:
  explicit WhatIfRun(QObject* parent = nullptr);

  // Starts an estimate. `name` names the program in messages. Emits failed() before returning if
  // the program cannot be written to a temporary file.
  void start(const std::string& program, const QString& name, const QString& tensor);
  void cancel() { command_.cancel(); }
  bool isRunning() const { return command_.isRunning(); }

 Q_SIGNALS:
  void progressed(int done, int all);  // placements
  // Exactly one of these two is emitted, as the last signal, unless the estimate is cancelled.
  // `ranked` has the cheapest placement first.
  void finished(const std::vector<shardlens::view::PlacementCost>& ranked);
  void failed(const QString& message);

 private:
  void readProgress(const QString& line);
  void read(const QByteArray& output);

  RunFolder folder_;
  QString name_;
  EngineCommand command_;
};

}  // namespace shardlens
