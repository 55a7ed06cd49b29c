#pragma once

#include "core/trace/merge/run_summary.h"

#include <QWidget>

class QLabel;

namespace shardlens {

// The page that the window shows while the events of a run are read and joined, if no other
// document is open: the totals of the run.
class OpeningPage final : public QWidget {
  Q_OBJECT

 public:
  explicit OpeningPage(QWidget* parent = nullptr);
  // `name`: of the folder.
  void setRun(const QString& name, const RunSummary& summary);

 private:
  QLabel* title_;
  QLabel* totals_;
};

}  // namespace shardlens
