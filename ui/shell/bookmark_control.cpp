#include "ui/shell/bookmark_control.h"

#include "ui/bridge/cursor.h"
#include "ui/bridge/document_host.h"
#include "ui/pages/message_bar.h"

#include <iterator>

namespace shardlens {
namespace {

const QString kSubject = QStringLiteral("bookmark");

}  // namespace

BookmarkControl::BookmarkControl(DocumentHost& host, const Cursor& cursor, MessageBar& bar)
    : host_(host), cursor_(cursor), bar_(bar) {
  connect(&host, &DocumentHost::bookmarkRefused, this, [this](const QString& message) {
    bar_.showMessage(kSubject, {MessageBar::Kind::Problem, message});
  });
}

const Bookmarks& BookmarkControl::all() const { return cursor_.journal().bookmarks(); }

bool BookmarkControl::isHere() const { return all().contains(cursor_.position()); }

EventId BookmarkControl::next() const {
  const auto after = all().upper_bound(cursor_.position());
  return after == all().end() || after->first > cursor_.size() ? 0 : after->first;
}

EventId BookmarkControl::previous() const {
  const auto here = all().lower_bound(cursor_.position());
  return here == all().begin() ? 0 : std::prev(here)->first;
}

void BookmarkControl::mark() {
  if (cursor_.position() != 0 && !isHere()) {
    change({cursor_.position(), std::string()});
  }
}

void BookmarkControl::removeHere() {
  if (isHere()) {
    change({cursor_.position(), std::nullopt});
  }
}

void BookmarkControl::change(const BookmarkChange& change) {
  if (host_.document() == nullptr) {
    return;
  }
  const auto before = all().find(change.event);
  if (!change.note && before != all().end()) {
    removed_.push_back({change.event, before->second});
    bar_.showMessage(kSubject, {MessageBar::Kind::Note,
                                tr("Removed the bookmark of event %1.").arg(change.event),
                                tr("Undo"), [this] { undo(); }});
  }
  host_.document()->keep(change);
  Q_EMIT changed();
}

void BookmarkControl::undo() {
  if (removed_.empty()) {
    return;
  }
  const BookmarkChange back = removed_.back();
  removed_.pop_back();
  bar_.withdraw(kSubject);
  change(back);
}

void BookmarkControl::forget() {
  removed_.clear();
  bar_.withdraw(kSubject);
}

}  // namespace shardlens
