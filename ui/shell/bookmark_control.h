#pragma once

#include "core/trace/journal/bookmarks.h"

#include <QObject>
#include <vector>

namespace shardlens {

class Cursor;
class DocumentHost;
class MessageBar;

// Marks events of what is open, and removes the marks; what was removed can be brought back until
// something else is opened.
class BookmarkControl final : public QObject {
  Q_OBJECT

 public:
  // They outlive it.
  BookmarkControl(DocumentHost& host, const Cursor& cursor, MessageBar& bar);

  // The event of the position, unless it is marked already.
  void mark();
  void removeHere();
  void change(const BookmarkChange& change);
  void undo();
  bool canUndo() const { return !removed_.empty(); }
  bool isHere() const;
  // The bookmarked event after the position, or before it; 0: there is none.
  EventId next() const;
  EventId previous() const;
  void forget();

 Q_SIGNALS:
  void changed();

 private:
  const Bookmarks& all() const;

  DocumentHost& host_;
  const Cursor& cursor_;
  MessageBar& bar_;
  std::vector<BookmarkChange> removed_;  // as they were, the newest last
};

}  // namespace shardlens
