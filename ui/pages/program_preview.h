#pragma once

#include "ui/bridge/dry_run.h"

#include <QWidget>
#include <optional>

class QLabel;
class QProgressBar;

namespace shardlens {

class QuietTable;
class TableModel;

// A table of what a changed program would send, beside what it sent as it ran. Dry runs estimate
// both, only while the widget is visible.
class ProgramPreview final : public QWidget {
  Q_OBJECT

 public:
  ProgramPreview();

  // Sets the text of the program as it ran, its text now, and its name in messages. Keeps the
  // estimate of a text that did not change. Equal texts need one estimate; an empty `ran` none.
  void setPrograms(const std::string& ran, const std::string& now, const QString& name);
  QString summary() const;
  bool isEstimating() const { return before_.isRunning() || after_.isRunning(); }

 Q_SIGNALS:
  void estimated();  // the estimates are complete, or the one of the changed program failed

 protected:
  void showEvent(QShowEvent* event) override;
  void hideEvent(QHideEvent* event) override;

 private:
  void estimate();
  void take(std::optional<view::RunCosts>& costs, const view::RunCosts& found);
  void showSummary();
  void showProblem(const QString& problem);

  std::string ran_;
  std::string now_;
  QString name_;
  DryRun before_;
  DryRun after_;
  std::optional<view::RunCosts> costsBefore_;
  std::optional<view::RunCosts> costsAfter_;
  QString problem_;  // why the changed program has no estimate
  TableModel* model_;
  QuietTable* table_;
  QLabel* summary_;
  QProgressBar* busy_;
};

}  // namespace shardlens
