#pragma once

#include "core/query/history/element_history.h"

#include <QTimer>
#include <QWidget>
#include <memory>

class QLabel;

namespace shardlens {

class QuietTable;
class TableModel;

// A table of the events that touched one element, with each rank's value after each event. Searches
// in slices from the event loop, also for events that are added later. Activating a row goes to its
// event; Escape closes the box.
class ElementHistoryBox final : public QWidget {
  Q_OBJECT

 public:
  explicit ElementHistoryBox(QWidget* parent = nullptr);

  // Shows the history of the element and emits openedOrClosed(). Keeps the search so far if only
  // the element of the tensor changed. The journal must live until close() or the next open().
  void open(const Journal& journal, const TensorElement& element, EventId position);
  // Hides the box and emits openedOrClosed(), also if it is closed already.
  void close();
  // True from open() to close().
  bool isOpen() const { return search_ != nullptr; }
  // Marks the position and continues the search, so call it also after the journal has grown.
  void setPosition(EventId position);
  QuietTable& rows() { return *table_; }
  // True while events are left to search.
  bool isReading() const { return reading_.isActive(); }

 Q_SIGNALS:
  // Emitted by each open(), with false, and by each close(). `hadFocus`: the box had the keyboard
  // focus when it closed, so the receiver should move it.
  void openedOrClosed(bool hadFocus);

 protected:
  void keyPressEvent(QKeyEvent* event) override;

 private:
  void readMore();

  QLabel* title_;
  TableModel* model_;
  QuietTable* table_;
  const Journal* journal_ = nullptr;
  TensorElement element_;
  EventId position_ = 0;
  std::unique_ptr<ElementHistorySearch> search_;  // null: closed
  QTimer reading_;
};

}  // namespace shardlens
