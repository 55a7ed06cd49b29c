#pragma once

#include "ui/panels/panel.h"

class QScrollArea;

namespace shardlens {

class ChoiceBox;
class ShardsCanvas;
class TensorsModel;
class WholeCanvas;

// One tensor, rank by rank and reassembled: the one that the current event is about, or one that
// was chosen. A double click on a shard leads to the event that gave it its value.
class ShardsPanel final : public Panel {
  Q_OBJECT

 public:
  explicit ShardsPanel(QWidget* parent = nullptr);
  void setSnapshot(const Journal& journal, const Snapshot& snapshot) override;

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;
  void offerAt(QMenu& menu, QPoint place) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  void showTensor();
  TensorId chosen() const;
  EventId changeAt(QPointF place) const;  // that made the value shown there; 0: none is

  TensorsModel* tensors_;
  ChoiceBox* choice_;
  QScrollArea* scroll_;
  ShardsCanvas* canvas_;
  WholeCanvas* whole_;
  const Journal* journal_ = nullptr;
  Snapshot snapshot_;
  TensorId pinned_ = 0;  // chosen by hand, and shown where it is; 0: follow the event
};

}  // namespace shardlens
