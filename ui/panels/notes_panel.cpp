#include "ui/panels/notes_panel.h"

#include "ui/panels/bookmarks_box.h"
#include "ui/scenes/theme.h"
#include "ui/scenes/zoom.h"
#include "ui/text/program.h"
#include "ui/widgets/table_view.h"

#include <QLabel>
#include <QScrollArea>
#include <QVBoxLayout>
#include <algorithm>

namespace shardlens {
namespace {

constexpr int kNoteMargin = 13;

}  // namespace

NotesPanel::NotesPanel(QWidget* parent)
    : Panel(parent),
      line_(new QLabel),
      text_(new QLabel),
      scroll_(new QScrollArea),
      bookmarks_(new BookmarksBox) {
  line_->setObjectName(QStringLiteral("notesLine"));
  line_->setTextFormat(Qt::PlainText);
  line_->setContentsMargins(kNoteMargin, 8, kNoteMargin, 0);
  line_->hide();
  text_->setObjectName(QStringLiteral("notesText"));
  atEachZoom(text_, [this] { useFont(); });
  text_->setWordWrap(true);
  text_->setTextFormat(Qt::PlainText);
  text_->setAlignment(Qt::AlignTop | Qt::AlignLeft);
  text_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  text_->setContentsMargins(kNoteMargin, 10, kNoteMargin, 10);
  scroll_->setWidget(text_);
  scroll_->setWidgetResizable(true);
  scroll_->setFrameShape(QFrame::NoFrame);
  scroll_->setFocusPolicy(Qt::NoFocus);
  leadToEvents(bookmarks_->rows());
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(1, 0, 1, 2);
  layout->addWidget(line_);
  layout->addWidget(scroll_, 1);
  layout->addWidget(bookmarks_);
}

void NotesPanel::setLarge(bool large) {
  large_ = large;
  line_->setVisible(large_);
  showBookmarks();
  useFont();
}

void NotesPanel::showBookmarks() { bookmarks_->setVisible(!large_ && bookmarks_->isUsable()); }

void NotesPanel::useFont() {
  text_->setFont(zoomed(textFont(large_ ? 16 : 12)));
  line_->setFont(zoomed(codeFont(14, Weight::Bold)));
}

int NotesPanel::heightForNotes(int width) const {
  const QFontMetrics metrics(text_->font());
  const QRect room(0, 0, std::max(60, width - 2 * kNoteMargin - 4), 1 << 20);
  int most = 0;
  if (journal_ != nullptr) {
    const auto program = programOf(*journal_);
    const int steps = static_cast<int>(program->lines.size());
    for (int step = -1; step < steps; ++step) {
      const QString notes = programNotes(program->scenario, step);
      most = std::max(most, metrics.boundingRect(room, Qt::TextWordWrap, notes).height());
    }
  }
  return most + 30 + (large_ ? line_->sizeHint().height() : bookmarks_->sizeHint().height());
}

void NotesPanel::setSnapshot(const Journal& journal, const Snapshot& snapshot) {
  journal_ = &journal;
  const auto program = programOf(journal);
  const auto step = static_cast<std::size_t>(std::max(0, snapshot.step));
  const bool isInProgram = snapshot.step >= 0 && step < program->lines.size();
  line_->setText(
      isInProgram
          ? QStringLiteral("%1  %2").arg(program->lines[step].number).arg(program->lines[step].text)
          : QString());
  const QString notes = programNotes(program->scenario, snapshot.step);
  text_->setText(
      journal.size() == 0 || !notes.isEmpty() ? notes
      : program->text.isEmpty()
          ? tr("No notes, because there is no scenario. To write a note, bookmark an event.")
          : tr("No notes for this step."));
  bookmarks_->setPosition(journal, snapshot.position);
  showBookmarks();
  header()->setNote(snapshot.step >= 0 ? tr("step %1 of the program").arg(qint64{snapshot.step} + 1)
                                       : QString());
}

}  // namespace shardlens
