#pragma once

#include "core/view/placement_costs.h"
#include "ui/bridge/what_if_run.h"
#include "ui/pages/sheet.h"

class QLabel;
class QModelIndex;
class QProgressBar;
class QPushButton;

namespace shardlens {

class QuietTable;
class TableModel;

// The placements that a tensor of the program could have, ranked by what the whole program would
// cost then. They are reckoned while somebody sees it. A row is tried by a double click, Return or
// the button.
class WhatIfSheet final : public Sheet {
  Q_OBJECT

 public:
  explicit WhatIfSheet(QWidget* window);

  // Brings it up; what it shows already is not reckoned again. The name is that of the program in
  // messages.
  void ask(const std::string& program, const QString& name, const QString& tensor);
  void showNotation();
  bool isReckoning() const { return run_.isRunning(); }
  const TableModel& model() const { return *model_; }
  QString summary() const;

 Q_SIGNALS:
  void tryWanted(const QString& tensor, const shardlens::Placements& placements);
  void reckoned();

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
