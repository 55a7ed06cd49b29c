#pragma once

#include "core/trace/journal/journal.h"

#include <QWidget>
#include <optional>

class QLineEdit;

namespace shardlens {

class QuietTable;
class TableModel;

// The bookmarks of the recording: a line with the note of the current event, and a table of all.
// Activating a row goes to its event; its menu or Delete removes the bookmark. Return in the line,
// or leaving it, bookmarks the event with the text. Escape discards the edit.
class BookmarksBox final : public QWidget {
  Q_OBJECT

 public:
  explicit BookmarksBox(QWidget* parent = nullptr);
  // Shows the bookmarks at this position. First emits changeRequested() if a note was typed at the
  // previous one. The journal must live until the next call.
  void setPosition(const Journal& journal, EventId position);
  bool isUsable() const;  // false at position 0 without bookmarks
  void editNote();        // focuses the line
  const TableModel& model() const { return *model_; }
  QuietTable& rows() { return *table_; }

 Q_SIGNALS:
  // Requests to add, change or remove a bookmark. The box changes nothing itself; the owner calls
  // setPosition() again after the change.
  void changeRequested(const shardlens::BookmarkChange& change);

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
  bool isMarked_ = false;           // the event was bookmarked when the line was filled
  QString shown_;                   // the note of the event then
  std::optional<QString> pending_;  // a note that was sent and is not in the journal yet
};

}  // namespace shardlens
