#pragma once

#include "core/query/history/tensor_uses.h"
#include "ui/panels/panel.h"

#include <QTimer>
#include <memory>

class QLabel;

namespace shardlens {

class QuietTable;
class TableModel;

// The panel of all tensors of the recording by module, and of every use of the selected one: made,
// read, moved, masked. The tensor of the current event is marked. Typing filters the tensors.
class TensorsPanel final : public Panel {
  Q_OBJECT

 public:
  explicit TensorsPanel(QWidget* parent = nullptr);
  void setSnapshot(const Journal& journal, const Snapshot& snapshot) override;
  // True while uses are being read. The tables then cover the events read so far.
  bool isReading() const { return reading_.isActive(); }

 protected:
  void offerAt(QMenu& menu, QPoint place) override;
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  void readMore();
  void showTensors();
  void showColumns();
  void showUses();
  TensorId selected() const;

  const Journal* journal_ = nullptr;
  std::shared_ptr<TensorUses> uses_;
  Snapshot snapshot_;
  TableModel* tensors_;
  TableModel* events_;
  QuietTable* list_;
  QuietTable* table_;
  QLabel* title_;
  QTimer reading_;
  bool isStale_ = false;  // the tables are of an earlier position
};

}  // namespace shardlens
