#include "ui/panels/notes_panel.h"

#include "ui/panels/bookmarks_box.h"
#include "ui/scenes/theme.h"
#include "ui/scenes/zoom.h"
#include "ui/text/program.h"
#include "ui/widgets/table_view.h"

#include <QLabel>
#include <QScrollArea>
#include <QVBoxLayout>

namespace shardlens {

NotesPanel::NotesPanel(QWidget* parent)
    : Panel(parent), text_(new QLabel), scroll_(new QScrollArea), bookmarks_(new BookmarksBox) {
  text_->setObjectName(QStringLiteral("notesText"));
  atEachZoom(text_, [this] { useFont(); });
  text_->setWordWrap(true);
  text_->setTextFormat(Qt::PlainText);
  text_->setAlignment(Qt::AlignTop | Qt::AlignLeft);
  text_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  text_->setContentsMargins(13, 10, 13, 10);
  scroll_->setWidget(text_);
  scroll_->setWidgetResizable(true);
  scroll_->setFrameShape(QFrame::NoFrame);
  scroll_->setFocusPolicy(Qt::NoFocus);
  leadToEvents(bookmarks_->rows());
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(1, 0, 1, 2);
  layout->addWidget(scroll_, 1);
  layout->addWidget(bookmarks_);
  setMinimumSize(180, 80);
}

void NotesPanel::setLarge(bool large) {
  large_ = large;
  useFont();
}

void NotesPanel::useFont() { text_->setFont(zoomed(textFont(large_ ? 15 : 12))); }

void NotesPanel::setSnapshot(const Journal& journal, const Snapshot& snapshot) {
  const auto program = programOf(journal);
  const QString notes = programNotes(program->scenario, snapshot.step);
  text_->setText(
      journal.size() == 0 || !notes.isEmpty() ? notes
      : program->text.isEmpty()
          ? tr("No notes, because there is no scenario. To write a note, bookmark an event.")
          : tr("No notes for this step."));
  bookmarks_->setPosition(journal, snapshot.position);
  header()->setNote(snapshot.step >= 0 ? tr("step %1 of the program").arg(qint64{snapshot.step} + 1)
                                       : QString());
}

}  // namespace shardlens
