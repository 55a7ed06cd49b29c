#pragma once

#include "ui/panels/panel.h"

#include <optional>

class QScrollArea;

namespace shardlens {

class ChoiceBox;
class ShardsCanvas;
class SliceBar;
class TensorsModel;
class WholeCanvas;
struct TensorRecord;
struct TensorView;

// One tensor, rank by rank and reassembled: the one that the current event is about, or one that
// was chosen. Of one with more than two dimensions a slice is shown. A double click on a cell shows
// it in the Inspector, its menu leads to the event that gave it its value.
class ShardsPanel final : public Panel {
  Q_OBJECT

 public:
  explicit ShardsPanel(QWidget* parent = nullptr);
  void setSnapshot(const Journal& journal, const Snapshot& snapshot) override;
  void showRank(int rank);  // and goes there by the keyboard

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;
  void offerAt(QMenu& menu, QPoint place) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  void showTensor(const TensorView* before);
  void chooseSlice(const TensorRecord* tensor);
  void scrollTo(QPointF place, QPointF seenAt);
  TensorId chosen() const;
  // That made what a rank holds; 0: nothing is known of it.
  EventId changeOf(std::optional<int> rank) const;

  TensorsModel* tensors_;
  ChoiceBox* choice_;
  QScrollArea* scroll_;
  ShardsCanvas* canvas_;
  SliceBar* slice_;
  WholeCanvas* whole_;
  bool isSliceChosen_ = false;  // by hand, for tensors of this shape
  const Journal* journal_ = nullptr;
  Snapshot snapshot_;
  TensorId pinned_ = 0;  // chosen by hand, and shown where it is; 0: follow the event
};

}  // namespace shardlens
