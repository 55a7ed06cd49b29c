#pragma once

#include "core/trace/snapshot/snapshot.h"
#include "ui/models/table_model.h"
#include "ui/panels/panel.h"

class QLabel;
class QProgressBar;
class QPushButton;

namespace shardlens {

class CachesChart;
class NoteBox;
class QuietTable;

// Both caches: what they hold, how they grew and how often they hit, and what the newest look-up
// found out. A row leads to the last look-up of its entry, and by its menu to the miss that made
// it.
class CachesPanel final : public Panel {
  Q_OBJECT

 public:
  explicit CachesPanel(QWidget* parent = nullptr);
  void setSnapshot(const Journal& journal, const Snapshot& snapshot) override;
  const TableModel& model() const { return *model_; }
  QString explanation() const;
  // What came of the hit that was asked for: its answer is the same, or why not.
  void setChecked(EventId hit, bool isSame, const QString& why);

 Q_SIGNALS:
  // The answer of a hit is to be found anew and compared; 0: not any more.
  void checkWanted(shardlens::EventId hit);

 protected:
  void changeEvent(QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  void showGrowth(const Journal& journal, const Snapshot& snapshot);
  void placeCharts();
  void showLookup();
  void toggleCheck();
  EventId madeAt(const QModelIndex& row) const;  // the miss

  TableModel* model_;
  QuietTable* table_;
  QLabel* none_;
  QWidget* charts_;
  CachesChart* entries_;
  CachesChart* hitRate_;
  const Journal* drawn_ = nullptr;  // that the charts are of, and so many events of it
  EventId drawnUpTo_ = 0;
  QWidget* foot_;
  NoteBox* why_;
  QPushButton* check_;
  QProgressBar* checking_;
  const Journal* journal_ = nullptr;
  Snapshot snapshot_;
  // The hit that was asked for last, and what came of it; empty while nobody knows.
  EventId asked_ = 0;
  QString outcome_;
  bool isSame_ = false;
};

}  // namespace shardlens
