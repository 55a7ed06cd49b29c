#pragma once

#include "ui/panels/panel.h"

#include <memory>
#include <optional>

namespace shardlens {

class ChoiceBox;
class ShardsCanvas;
class ShardsScroll;
class ProblemWatch;
class SliceBar;
class TensorsModel;
class WholeCanvas;
struct InferredPlacements;
struct TensorRecord;
struct TensorView;

// The panel of one tensor, rank by rank and reassembled: that of the current event, or a selected
// one. For more than two dimensions it shows a slice. A double click on a cell opens it in the
// Inspector; the menu of a cell goes to the event that made its value.
class ShardsPanel final : public Panel {
  Q_OBJECT

 public:
  explicit ShardsPanel(QWidget* parent = nullptr);
  void setSnapshot(const Journal& journal, const Snapshot& snapshot) override;
  // Shows the placements that `watch` infers for plain tensors. It must outlive this panel. Call
  // once.
  void setWatch(const ProblemWatch& watch);
  void showRank(int rank);             // scrolls to the rank's shard and focuses the shards
  TensorId chosen() const;             // the tensor shown; 0: none
  void setAlwaysNumbers(bool always);  // see ShardsCanvas

 protected:
  void offerAt(QMenu& menu, QPoint place) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  void listTensors();
  void showTensor(const TensorView* before);
  bool isOfRefusedStep() const;
  void chooseSlice(const TensorRecord* tensor);
  // Returns the event that made what a rank holds; 0 if no value is recorded.
  EventId changeOf(std::optional<int> rank) const;

  TensorsModel* tensors_;
  ChoiceBox* choice_;
  ShardsScroll* scroll_;
  ShardsCanvas* canvas_;
  SliceBar* slice_;
  WholeCanvas* whole_;
  bool isSliceChosen_ = false;  // by hand; kept for tensors of this shape
  const Journal* journal_ = nullptr;
  const ProblemWatch* watch_ = nullptr;
  std::shared_ptr<const InferredPlacements> inferred_;  // what is shown
  ElidedLabel* inferredFrom_;
  Snapshot snapshot_;
  TensorId pinned_ = 0;  // selected by hand; 0: follow the event
};

}  // namespace shardlens
