#pragma once

#include "core/trace/snapshot/snapshot.h"
#include "core/view/buffers_table.h"

#include <QWidget>

class QLabel;

namespace shardlens {

class QuietTable;
class TableModel;

// All mask buffers as a table, and below it what was done with the chosen one, of the whole
// recording. Rows of both lead to events.
class AllBuffersBox final : public QWidget {
  Q_OBJECT

 public:
  explicit AllBuffersBox(QWidget* parent = nullptr);

  // The journal must outlive it, or an empty one be set before.
  void setSnapshot(const Journal& journal, const Snapshot& snapshot,
                   const view::BufferAlarm& alarm);
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
