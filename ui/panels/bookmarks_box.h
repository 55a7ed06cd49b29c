#pragma once

#include "core/trace/journal/journal.h"

#include <QWidget>
#include <optional>

class QLineEdit;

namespace shardlens {

class QuietTable;
class TableModel;

// The bookmarks of the recording: a line for the note of the current event, and a table of all. A
// row leads to its event; its menu, or Delete, removes it. Return in the line, or leaving it, marks
// the event with what it says; Escape leaves it as it was.
class BookmarksBox final : public QWidget {
  Q_OBJECT

 public:
  explicit BookmarksBox(QWidget* parent = nullptr);
  void setPosition(const Journal& journal, EventId position);
  void editNote();
  const TableModel& model() const { return *model_; }
  QuietTable& rows() { return *table_; }

 Q_SIGNALS:
  void changeWanted(const shardlens::BookmarkChange& change);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void keepNote();
  void showNote();

  TableModel* model_;
  QuietTable* table_;
  QLineEdit* note_;
  const Journal* journal_ = nullptr;
  EventId position_ = 0;
  bool isMarked_ = false;          // the event of the position, as the line was filled
  QString shown_;                  // its note
  std::optional<QString> wanted_;  // a note that has not come back from the file yet
};

}  // namespace shardlens
