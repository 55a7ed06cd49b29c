#include "ui/panels/bookmarks_box.h"

#include "core/view/tables/bookmarks_table.h"
#include "ui/models/table_model.h"
#include "ui/scenes/theme.h"
#include "ui/scenes/zoom.h"
#include "ui/text/format.h"
#include "ui/widgets/filter_line.h"
#include "ui/widgets/row_actions.h"
#include "ui/widgets/table_view.h"
#include "ui/widgets/window_notation.h"

#include <QAction>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLineEdit>
#include <QVBoxLayout>
#include <utility>

namespace shardlens {

using BookmarkColumn = view::BookmarksTable::Column;

BookmarksBox::BookmarksBox(QWidget* parent)
    : QWidget(parent),
      model_(new TableModel(this)),
      table_(new QuietTable(QStringLiteral("bookmarksView"), *model_,
                            {.marked = TableModel::MarkedRole,
                             .tone = TableModel::ToneRole,
                             .shared = TableModel::SharedRole})),
      note_(new QLineEdit) {
  table_->setAccessibleName(tr("Bookmarks of the recording"));
  model_->setTable(view::bookmarksTable(Journal(), 0));
  auto* columns = table_->horizontalHeader();
  columns->setSectionResizeMode(QHeaderView::Stretch);
  columns->setSectionResizeMode(BookmarkColumn::Event, QHeaderView::ResizeToContents);
  QAction* remove =
      offerOnRow(*table_, "removeRow", tr("Remove bookmark"), [this](const QModelIndex& index) {
        Q_EMIT changeRequested({index.data(TableModel::EventRole).toUInt(), std::nullopt});
      });
  remove->setShortcut(Qt::Key_Delete);
  remove->setShortcutContext(Qt::WidgetShortcut);
  note_->setObjectName(QStringLiteral("bookmarkNote"));
  note_->setAccessibleName(tr("Note of the current event"));
  // Limits the table's height, so that the scenario's notes keep their room.
  atEachZoom(table_, [table = table_] { table->setMaximumHeight(zoomed(150)); });
  note_->installEventFilter(this);
  atEachZoom(note_, [note = note_] { note->setFont(zoomed(textFont(12))); });
  connect(note_, &QLineEdit::editingFinished, this, &BookmarksBox::keepNote);
  connect(note_, &QLineEdit::returnPressed, this, [this] {
    if (!isMarked_ && note_->text().isEmpty() && position_ != 0) {
      Q_EMIT changeRequested({position_, std::string()});
    }
    note_->clearFocus();
    if (QWidget* next = note_->nextInFocusChain()) next->setFocus();
  });
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(6, 4, 6, 6);
  layout->setSpacing(6);
  layout->addWidget(note_);
  layout->addWidget(new FilterLine(*table_));
  layout->addWidget(table_);
  table_->hide();
}

void BookmarksBox::setPosition(const Journal& journal, EventId position) {
  const bool moved = journal_ != &journal || position_ != position;
  if (moved && journal_ != nullptr) {
    keepNote();
  }
  journal_ = &journal;
  position_ = position;
  model_->setTable(view::bookmarksTable(journal, position, notationOf(*this)));
  table_->setVisible(model_->allRows() > 0);
  if (const int row = model_->markedRow(); row >= 0) {
    table_->scrollTo(model_->index(row, 0));
  }
  note_->setEnabled(position != 0);
  const auto mark = journal.bookmarks().find(position);
  const bool isMarked = mark != journal.bookmarks().end();
  const QString note = isMarked ? toQString(mark->second) : QString();
  const bool isWriting = !moved && note_->text() != shown_;
  const bool isRemoved = isMarked_ && !isMarked;
  if (moved || isRemoved || note == pending_) {
    pending_.reset();
  }
  isMarked_ = isMarked;
  shown_ = pending_.value_or(note);
  if (!isWriting) {
    showNote();
  }
}

bool BookmarksBox::isUsable() const { return position_ != 0 || model_->allRows() > 0; }

void BookmarksBox::showNote() {
  note_->setText(shown_);
  note_->setPlaceholderText(position_ == 0 ? tr("No event to bookmark")
                            : isMarked_    ? tr("Note of the bookmark at event %1").arg(position_)
                                           : tr("Bookmark event %1 with a note").arg(position_));
}

void BookmarksBox::editNote() {
  note_->setFocus(Qt::ShortcutFocusReason);
  note_->selectAll();
}

void BookmarksBox::keepNote() {
  if (position_ != 0 && note_->text() != shown_) {
    shown_ = note_->text();
    pending_ = shown_;
    Q_EMIT changeRequested({position_, shown_.toStdString()});
  }
}

bool BookmarksBox::eventFilter(QObject* watched, QEvent* event) {
  const bool isKey = event->type() == QEvent::KeyPress || event->type() == QEvent::ShortcutOverride;
  if (!isKey || static_cast<QKeyEvent*>(event)->key() != Qt::Key_Escape) {
    return QWidget::eventFilter(watched, event);
  }
  event->accept();
  if (event->type() == QEvent::KeyPress) {
    showNote();
    note_->clearFocus();
  }
  return true;
}

}  // namespace shardlens
