#pragma once

#include "core/trace/journal/journal.h"
#include "core/trace/snapshot/snapshot.h"
#include "core/view/tables/buffers_table.h"
#include "ui/panels/panel.h"
#include "ui/scenes/buffer_scene.h"

#include <vector>

class QLabel;
class QToolButton;

namespace shardlens {

class BitsCanvas;
class ChoiceBox;
class NoteBox;
class BuffersModel;
class AllBuffersBox;
class RefcountChart;

// The panel of the mask buffers, one of them or all as a table: its holders, its bits on every
// rank, its refcount over time, and errors. A click on the refcount chart goes to the nearest event
// that changed the refcount.
class BuffersPanel final : public Panel {
  Q_OBJECT

 public:
  explicit BuffersPanel(QWidget* parent = nullptr);
  void setSnapshot(const Journal& journal, const Snapshot& snapshot) override;

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void showBuffer();
  void showAlarm(const Snapshot& snapshot);
  std::vector<MaskBits> findNeeded() const;
  void goNear(double position);

  BuffersModel* model_;
  ChoiceBox* choice_;
  QLabel* holders_;
  QLabel* state_;
  QLabel* foot_;
  BitsCanvas* bits_;
  RefcountChart* chart_;
  QWidget* body_;
  AllBuffersBox* all_;
  QToolButton* form_;
  QLabel* none_;
  NoteBox* alarm_;
  const Journal* journal_ = nullptr;
  Snapshot snapshot_;
  view::BufferAlarm wrong_;
  std::vector<MaskBits> needed_;  // by the refused lookup of the alarm; empty: no conflict
  BufferId shown_ = 0;
  BufferId pinned_ = 0;  // selected by hand; 0: shows the newest
};

}  // namespace shardlens
