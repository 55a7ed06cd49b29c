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
class SliceBar;
class SliceCanvas;
class TensorsModel;

// The elements of one tensor, of a rank or of the whole, as a table, a heat map or a histogram; how
// far they are from those of another rank or from what they were; and what happened to the one that
// was chosen. Values are read while the panel is seen, and what takes long some at a time.
class InspectorPanel final : public Panel {
  Q_OBJECT

 public:
  explicit InspectorPanel(QWidget* parent = nullptr);
  void setSnapshot(const Journal& journal, const Snapshot& snapshot) override;

  // Goes to an element of a rank's shard, or of the whole, and stays with its tensor.
  void showElement(TensorId tensor, int rank, const Shape& local);

  const SliceCanvas& canvas() const { return *canvas_; }
  const ElementScan& scan() const { return scan_; }
  QString figuresText() const;  // under the cells
  bool isReading() const;       // not all has been looked at yet

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void offerAt(QMenu& menu, QPoint place) override;

 private:
  void makeControls();
  void readTensor();
  void readStale();  // if it was not seen when it changed
  void fillRanks();
  void fillAgainst();
  void showElements();
  void showLook();
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
  QComboBox* look_;
  QComboBox* against_;
  QComboBox* indices_;
  SliceBar* bar_;
  SliceCanvas* canvas_;
  ElementHistogram* histogram_;
  QStackedWidget* looks_;
  ElementFiguresBox* figures_;
  QBoxLayout* parts_;
  QWidget* cells_;
  ElementHistoryBox* history_;

  const Journal* journal_ = nullptr;
  Snapshot snapshot_;
  TensorId pinned_ = 0;   // chosen by hand, and shown where it is; 0: follow the event
  bool isStale_ = false;  // what is shown is of another position
  std::shared_ptr<const TensorView> view_;
  ElementScan scan_;
  QTimer reading_;
};

}  // namespace shardlens
