#pragma once

#include "ui/bridge/dry_run.h"

#include <QWidget>
#include <optional>

class QLabel;
class QProgressBar;

namespace shardlens {

class QuietTable;
class TableModel;

// What a changed program would send, beside what it sends as it ran: both are reckoned by dry runs,
// while somebody sees it.
class ProgramPreview final : public QWidget {
  Q_OBJECT

 public:
  ProgramPreview();

  // The program as it ran, as it is now, and how it is called.
  void setPrograms(const std::string& ran, const std::string& now, const QString& name);
  QString summary() const;
  bool isReckoning() const { return before_.isRunning() || after_.isRunning(); }

 Q_SIGNALS:
  void reckoned();

 protected:
  void showEvent(QShowEvent* event) override;
  void hideEvent(QHideEvent* event) override;

 private:
  void reckon();
  void take(std::optional<view::RunCosts>& costs, const view::RunCosts& found);
  void say();
  void sayProblem(const QString& problem);

  std::string ran_;
  std::string now_;
  QString name_;
  DryRun before_;
  DryRun after_;
  std::optional<view::RunCosts> costsBefore_;
  std::optional<view::RunCosts> costsAfter_;
  QString problem_;  // why it cannot be reckoned
  TableModel* model_;
  QuietTable* table_;
  QLabel* summary_;
  QProgressBar* busy_;
};

}  // namespace shardlens
