#pragma once

#include "core/view/placement_costs.h"
#include "ui/bridge/engine_command.h"
#include "ui/bridge/run_folder.h"

namespace shardlens {

// What a program would cost with each placement of one of its tensors, as an engine reckons it.
// What is asked for takes the place of what was asked for before.
class WhatIfRun final : public QObject {
  Q_OBJECT

 public:
  explicit WhatIfRun(QObject* parent = nullptr);

  // The name is that of the program in messages.
  void start(const std::string& program, const QString& name, const QString& tensor);
  void cancel() { command_.cancel(); }
  bool isRunning() const { return command_.isRunning(); }

 Q_SIGNALS:
  void progressed(int done, int all);
  // One of these comes last, unless it is cancelled.
  void finished(const std::vector<shardlens::view::PlacementCost>& ranked);
  void failed(const QString& message);

 private:
  void hear(const QString& line);
  void read(const QByteArray& answer);

  RunFolder folder_;
  QString name_;
  EngineCommand command_;
};

}  // namespace shardlens
