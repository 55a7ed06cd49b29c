#include "ui/panels/notes_panel.h"

#include "ui/scenes/theme.h"
#include "ui/scenes/zoom.h"
#include "ui/text/program.h"

#include <QLabel>
#include <QScrollArea>
#include <QVBoxLayout>

namespace shardlens {

NotesPanel::NotesPanel(QWidget* parent) : Panel(parent), text_(new QLabel) {
  text_->setObjectName(QStringLiteral("notesText"));
  atEachZoom(text_, [this] { useFont(); });
  text_->setWordWrap(true);
  text_->setTextFormat(Qt::PlainText);
  text_->setAlignment(Qt::AlignTop | Qt::AlignLeft);
  text_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  text_->setContentsMargins(13, 10, 13, 10);
  auto* scroll = new QScrollArea;
  scroll->setWidget(text_);
  scroll->setWidgetResizable(true);
  scroll->setFrameShape(QFrame::NoFrame);
  scroll->setFocusPolicy(Qt::NoFocus);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(1, 0, 1, 2);
  layout->addWidget(scroll);
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
  text_->setText(journal.size() == 0 || !notes.isEmpty() ? notes
                 : program->text.isEmpty()               ? tr("The recording has no scenario.")
                                                         : tr("No notes for this step."));
  header()->setNote(snapshot.step >= 0 ? tr("step %1 of the program").arg(qint64{snapshot.step} + 1)
                                       : QString());
}

}  // namespace shardlens
