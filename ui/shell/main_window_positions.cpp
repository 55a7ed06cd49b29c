// Part of MainWindow: moves to positions, and finding and filtering events.
#include "core/query/language/similar_events.h"
#include "ui/panels/bookmarks_box.h"
#include "ui/panels/mesh_panel.h"
#include "ui/panels/notes_panel.h"
#include "ui/panels/problems_panel.h"
#include "ui/panels/program_panel.h"
#include "ui/panels/shards_panel.h"
#include "ui/panels/steps_panel.h"
#include "ui/scenes/theme.h"
#include "ui/shell/bookmark_control.h"
#include "ui/shell/main_window.h"
#include "ui/shell/top_bar.h"
#include "ui/text/program.h"
#include "ui/widgets/filter_line.h"

#include <QApplication>

namespace shardlens {

int MainWindow::currentStep() const {
  return cursor_.position() == 0 ? -1 : cursor_.journal().at(cursor_.position()).step;
}

void MainWindow::jumpTo(EventId position) {
  if (position != cursor_.position()) {
    history_.jump(cursor_.position());
  }
  cursor_.moveTo(position);
}

void MainWindow::jumpToStep(int step) {
  history_.jump(cursor_.position());
  cursor_.toEndOfStep(step);
}

// Jumps to the end of the step, where its results are visible, and raises the notes.
void MainWindow::jumpToNote(std::optional<int> (*find)(const QJsonObject& scenario, int step)) {
  const auto step = find(programOf(cursor_.journal())->scenario, currentStep());
  const QString subject = QStringLiteral("note");
  if (!step) {
    messages_->showMessage(subject,
                           {MessageBar::Kind::Note, tr("No more notes in this direction")});
    return;
  }
  messages_->withdraw(subject);
  docks_->bringUp(*findChild<Panel*>(QStringLiteral("notesPanel")));
  jumpToStep(*step);
}

void MainWindow::goBackInHistory() {
  if (const auto position = history_.back(cursor_.position())) {
    cursor_.moveTo(*position);
  }
}

void MainWindow::goForwardInHistory() {
  if (const auto position = history_.forward(cursor_.position())) {
    cursor_.moveTo(*position);
  }
}

void MainWindow::showProblemCount() {
  const bool isError = problems_.errors() > 0;
  top_->setProblems(problems_.summary(),
                    isError ? QStringLiteral("error") : QStringLiteral("warning"),
                    isError ? theme().bad : theme().warn);
}

// The shortcut may be pressed before the command is disabled.
void MainWindow::goToEvent(EventId event) {
  if (event != 0) {
    jumpTo(event);
  }
}

void MainWindow::raiseProblems() {
  auto* panel = findChild<ProblemsPanel*>();
  docks_->bringUp(*panel);
  panel->focusTable();
}

void MainWindow::filterRows() {
  const QString subject = QStringLiteral("filter");
  if (steps_->isAncestorOf(QApplication::focusWidget())) {
    steps_->openFilter();
  } else if (FilterLine::openIn(*area_)) {
    messages_->withdraw(subject);
  } else if (!steps_->visibleRegion().isEmpty()) {
    steps_->openFilter();
  } else {
    messages_->showMessage(subject, {MessageBar::Kind::Note, tr("No table is visible.")});
  }
}

// Goes back to a line that the position has already passed.
void MainWindow::runToCursor() {
  if (!program_->isAncestorOf(QApplication::focusWidget())) {
    const EventId event = steps_->currentEvent();
    event > cursor_.position() ? run_->runTo(QStringLiteral("id:%1").arg(event)) : jumpTo(event);
  } else if (program_->isCurrentBehind()) {
    run_->backTo(program_->currentQuery());
  } else {
    run_->runTo(program_->currentQuery());
  }
}

// In Events, the breakpoint is for events like the current row.
void MainWindow::toggleBreakpoint() {
  if (steps_->isAncestorOf(QApplication::focusWidget()) && steps_->currentEvent() != 0) {
    breakpoints_.toggle({}, steps_->currentQuery());
  } else {
    program_->toggleBreakpoint();
  }
}

void MainWindow::findRank() {
  auto* mesh = findChild<MeshPanel*>();
  docks_->bringUp(*mesh);
  mesh->openRankLine();
}

void MainWindow::showShard(int rank) {
  auto* shards = findChild<ShardsPanel*>();
  docks_->bringUp(*shards);
  shards->showRank(rank);
}

void MainWindow::filterSteps(const QString& query) {
  docks_->bringUp(*steps_);
  steps_->setFilter(query);
}

void MainWindow::breakOn(const QString& query) { breakpoints_.add({}, query); }

void MainWindow::applyToSimilar(WithEvent action, EventId event) {
  const QString query = QString::fromStdString(similarEvents(cursor_.journal(), event));
  action == WithEvent::Break ? breakOn(query) : filterSteps(query);
}

void MainWindow::editBookmark() {
  bookmarks_->mark();
  auto* notes = findChild<NotesPanel*>();
  docks_->bringUp(*notes);
  notes->bookmarks().editNote();
}

}  // namespace shardlens
