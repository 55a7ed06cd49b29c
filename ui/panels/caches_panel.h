#pragma once

#include "core/trace/snapshot/snapshot.h"
#include "ui/models/table_model.h"
#include "ui/panels/panel.h"

class QBoxLayout;
class QLabel;
class QProgressBar;
class QPushButton;

namespace shardlens {

class CachesChart;
class NoteBox;
class QuietTable;

// The panel of both caches: their entries, their growth and hit rates, and the result of the newest
// lookup. Activating a row goes to the last use of its entry; its menu has the miss that made it.
class CachesPanel final : public Panel {
  Q_OBJECT

 public:
  explicit CachesPanel(QWidget* parent = nullptr);
  void setSnapshot(const Journal& journal, const Snapshot& snapshot) override;
  const TableModel& model() const { return *model_; }
  // The text about the newest lookup, as HTML. Not updated while there is no lookup.
  QString explanation() const;
  // Shows the result of a check: the recomputed result is the same, or why it is not. Ignored
  // unless `hit` is the hit that is being checked.
  void setChecked(EventId hit, bool isSame, const QString& reason);

 Q_SIGNALS:
  // Requests that the cached result of this hit be recomputed and compared; 0: cancels that.
  // Emitted with 0 also if another journal is set during or after a check.
  void checkRequested(shardlens::EventId hit);

 protected:
  void changeEvent(QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  void showGrowth(const Journal& journal, const Snapshot& snapshot);
  void placeCharts();
  void showLookup();
  void toggleCheck();
  EventId madeAt(const QModelIndex& row) const;  // the miss that made the entry

  TableModel* model_;
  QuietTable* table_;
  QLabel* none_;
  QBoxLayout* rows_;     // the table and the charts
  QBoxLayout* beside_;   // the table, with the note below it in a low panel
  QBoxLayout* abreast_;  // the charts
  QWidget* charts_;
  CachesChart* entries_;
  CachesChart* hitRate_;
  const Journal* drawn_ = nullptr;  // journal of the charts, and how many of its events they cover
  EventId drawnUpTo_ = 0;
  QWidget* foot_;
  NoteBox* why_;
  QPushButton* check_;
  QProgressBar* checking_;
  const Journal* journal_ = nullptr;
  Snapshot snapshot_;
  // The last hit that was checked, and the result; empty while it is unknown.
  EventId checked_ = 0;
  QString outcome_;
  bool isSame_ = false;
};

}  // namespace shardlens
