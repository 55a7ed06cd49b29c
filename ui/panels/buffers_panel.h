#pragma once

#include "core/trace/journal/journal.h"
#include "core/trace/snapshot/snapshot.h"
#include "ui/panels/panel.h"

class QComboBox;
class QLabel;

namespace shardlens {

class BitsCanvas;
class NoteBox;
class TableModel;
class RefcountChart;

// The mask buffers: who holds one, its bits on every rank, and how its refcount goes; and what went
// wrong with one. A click on the refcounts leads to the event that made the nearest of them.
class BuffersPanel final : public Panel {
  Q_OBJECT

 public:
  explicit BuffersPanel(QWidget* parent = nullptr);
  void setSnapshot(const Journal& journal, const Snapshot& snapshot) override;

 protected:
  void changeEvent(QEvent* event) override;

 private:
  int rowOf(BufferId buffer) const;  // 0 where it is not there: that of the newest
  void showBuffer();
  void showAlarm(const Snapshot& snapshot);
  void goNear(double position);

  TableModel* model_;
  QComboBox* choice_;
  QLabel* holders_;
  QLabel* state_;
  QLabel* foot_;
  BitsCanvas* bits_;
  RefcountChart* chart_;
  QWidget* body_;
  QLabel* none_;
  NoteBox* alarm_;
  const Journal* journal_ = nullptr;
  std::shared_ptr<const Histories> histories_;
  std::vector<BufferState> buffers_;  // of the position
  EventId position_ = 0;
  BufferId shown_ = 0;
  BufferId pinned_ = 0;  // chosen by hand; 0: the newest is shown
};

}  // namespace shardlens
