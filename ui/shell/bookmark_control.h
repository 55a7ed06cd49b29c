#pragma once

#include "core/trace/journal/bookmarks.h"

#include <QObject>
#include <vector>

namespace shardlens {

class Cursor;
class DocumentHost;
class MessageBar;

// Adds, changes and removes bookmarks of the open document. Removed bookmarks can be restored until
// forget().
class BookmarkControl final : public QObject {
  Q_OBJECT

 public:
  // All three must outlive this object.
  BookmarkControl(DocumentHost& host, const Cursor& cursor, MessageBar& bar);

  // Bookmarks the event of the position, without a note. Does nothing at position 0 or if the event
  // is bookmarked.
  void mark();
  void removeHere();                          // removes the bookmark of the position, if any
  void change(const BookmarkChange& change);  // no-op without a document
  void undo();                                // restores the bookmark removed last, if any
  bool canUndo() const { return !removed_.empty(); }
  bool isHere() const;  // the position has a bookmark
  // Return the bookmarked event after or before the position; 0 if there is none.
  EventId next() const;
  EventId previous() const;
  void forget();  // discards what undo() could restore

 Q_SIGNALS:
  void changed();  // a change was sent to the document, which may still refuse it

 private:
  const Bookmarks& all() const;

  DocumentHost& host_;
  const Cursor& cursor_;
  MessageBar& bar_;
  std::vector<BookmarkChange> removed_;  // removed bookmarks, newest last
};

}  // namespace shardlens
