#pragma once

#include "core/query/element_history.h"

#include <QTimer>
#include <QWidget>
#include <memory>

class QLabel;

namespace shardlens {

class QuietTable;
class TableModel;

// What happened to one element, an event a row, with what each rank had of it then. Events are
// looked at some at a time, also those that come later. A row leads to its event; Escape closes it.
class ElementHistoryBox final : public QWidget {
  Q_OBJECT

 public:
  explicit ElementHistoryBox(QWidget* parent = nullptr);

  // Shows it. The journal must outlive it, or the box be closed before.
  void open(const Journal& journal, const TensorElement& element, EventId position);
  void close();
  bool isOpen() const { return search_ != nullptr; }
  void setPosition(EventId position);
  QuietTable& rows() { return *table_; }
  bool isReading() const { return reading_.isActive(); }

 Q_SIGNALS:
  // The keyboard was in it when it closed, so that it has to go somewhere.
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
  std::unique_ptr<ElementHistorySearch> search_;  // null: it is closed
  QTimer reading_;
};

}  // namespace shardlens
