#pragma once

#include "core/view/tables/placement_costs.h"
#include "ui/bridge/what_if_run.h"
#include "ui/pages/sheet.h"

class QLabel;
class QModelIndex;
class QProgressBar;
class QPushButton;

namespace shardlens {

class QuietTable;
class TableModel;

// A sheet that ranks the placements that a tensor of the program could have by the estimated cost
// of the whole program. The estimate runs only while the sheet is visible. Double click, Return or
// the button applies a row.
class WhatIfSheet final : public Sheet {
  Q_OBJECT

 public:
  explicit WhatIfSheet(QWidget* window);

  // Shows the sheet and starts the estimate, unless it already shows or computes this one.
  // `program` is the scenario's text, `name` its name in messages. Hiding the sheet cancels the
  // estimate without estimated().
  void estimate(const std::string& program, const QString& name, const QString& tensor);
  void showNotation();  // updates the texts after a change of the placement notation
  bool isEstimating() const { return run_.isRunning(); }
  const TableModel& model() const { return *model_; }
  QString summary() const;  // the text above the table: progress, result or error

 Q_SIGNALS:
  // Requests that the program be changed so that the tensor gets these placements.
  void tryRequested(const QString& tensor, const shardlens::Placements& placements);
  void estimated();  // the estimate ended: finished, failed or cancelled by the button

 protected:
  void hideEvent(QHideEvent* event) override;

 private:
  void begin();
  void show(const std::vector<view::PlacementCost>& ranked);
  QString cheapestText() const;
  void end(const QString& summary);
  void cancel();
  void tryRow();
  const view::PlacementCost* chosen() const;
  void showChosen();

  WhatIfRun run_;
  std::string program_;
  QString name_;
  QString tensor_;
  std::vector<view::PlacementCost> ranked_;
  TableModel* model_;
  QuietTable* table_;
  QLabel* summary_;
  QProgressBar* progress_;
  QPushButton* cancel_;
  QPushButton* try_;
};

}  // namespace shardlens
