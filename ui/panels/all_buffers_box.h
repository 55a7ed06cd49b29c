#pragma once

#include "core/trace/snapshot/snapshot.h"
#include "core/view/tables/buffers_table.h"

#include <QWidget>

class QLabel;

namespace shardlens {

class QuietTable;
class TableModel;

// A table of all mask buffers and, below it, a second table with the events of the selected buffer
// in the whole recording. The owner connects activated rows of both.
class AllBuffersBox final : public QWidget {
  Q_OBJECT

 public:
  explicit AllBuffersBox(QWidget* parent = nullptr);

  // Shows the buffers of the snapshot. `alarm` is what went wrong with a buffer; see BufferAlarm.
  // Selects the marked row. Keeps a reference to `journal`: before it is destroyed, call this with
  // an empty journal.
  void setSnapshot(const Journal& journal, const Snapshot& snapshot,
                   const view::BufferAlarm& alarm);
  // The tables belong to the box.
  QuietTable& buffers() { return *buffers_; }
  QuietTable& events() { return *events_; }

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void showEvents();

  const Journal* journal_ = nullptr;
  Snapshot snapshot_;
  TableModel* buffersModel_;
  TableModel* eventsModel_;
  QuietTable* buffers_;
  QuietTable* events_;
  QLabel* title_;
};

}  // namespace shardlens
