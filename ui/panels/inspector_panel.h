#pragma once

#include "core/trace/records/check_record.h"
#include "ui/panels/panel.h"
#include "ui/scenes/element_scan.h"

#include <QTimer>
#include <memory>

class QBoxLayout;
class QComboBox;
class QStackedWidget;

namespace shardlens {

class ChoiceBox;
class ElementFiguresBox;
class ElementHistogram;
class ElementHistoryBox;
class ProblemWatch;
class SliceBar;
class SliceCanvas;
class TensorsModel;
struct InferredPlacements;

// The panel of the elements of one tensor, of a rank or of the whole: as a table, a heat map or a
// histogram, as values or as differences from another rank or from the previous values. It also
// shows the history of a chosen element. Values are read only while the panel is visible, in
// slices.
class InspectorPanel final : public Panel {
  Q_OBJECT

 public:
  explicit InspectorPanel(QWidget* parent = nullptr);
  void setSnapshot(const Journal& journal, const Snapshot& snapshot) override;
  // Shows the placements that `watch` infers for plain tensors. It must outlive this panel. Call
  // once.
  void setWatch(const ProblemWatch& watch);

  // Selects the tensor, and goes to an element of a rank's shard, or of the whole for
  // TensorElements::kWhole. Selects the current tensor if `tensor` does not exist at the position,
  // and the whole if the rank has no shard. If `local` does not have the tensor's number of
  // dimensions, selects only the tensor and the rank.
  void showElement(TensorId tensor, int rank, const Shape& local);

  const SliceCanvas& canvas() const { return *canvas_; }
  const ElementScan& scan() const { return scan_; }
  QString figuresText() const;  // text under the cells; empty if nothing is known
  bool isReading() const;       // true while elements or the history are still read

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void offerAt(QMenu& menu, QPoint place) override;

 private:
  void makeControls();
  void listTensors();
  void readTensor();
  void readStale();  // reads the tensor if what is shown is outdated
  void showPlacement();
  void fillRanks();
  void fillAgainst();
  void showElements();
  void showDisplay();
  void readMore();
  void showHistory();
  void arrange();
  void jump(const Shape& at);
  std::optional<CheckRecord> check() const;
  TensorId chosen() const;
  int chosenRank() const;

  TensorsModel* tensors_;
  ChoiceBox* choice_;
  QBoxLayout* controls_ = nullptr;
  QComboBox* rank_;
  QComboBox* display_;
  QComboBox* against_;
  QComboBox* indices_;
  SliceBar* bar_;
  SliceCanvas* canvas_;
  ElementHistogram* histogram_;
  QStackedWidget* displays_;
  ElementFiguresBox* figures_;
  QBoxLayout* parts_;
  QWidget* cells_;
  ElementHistoryBox* history_;

  const Journal* journal_ = nullptr;
  const ProblemWatch* watch_ = nullptr;
  std::shared_ptr<const InferredPlacements> inferred_;  // what is shown
  ElidedLabel* inferredFrom_;
  Snapshot snapshot_;
  TensorId pinned_ = 0;   // selected by hand; 0: follow the event
  bool isStale_ = false;  // the panel shows another position
  std::shared_ptr<const TensorView> view_;
  ElementScan scan_;
  QTimer reading_;
};

}  // namespace shardlens
