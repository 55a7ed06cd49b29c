// Part of MainWindow: moves to positions, and finding and filtering events.
#include "core/query/language/event_filter.h"
#include "core/query/language/query.h"
#include "core/query/language/similar_events.h"
#include "ui/models/fuzzy_match.h"
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
#include "ui/text/format.h"
#include "ui/text/program.h"
#include "ui/widgets/filter_line.h"

#include <QApplication>
#include <QRegularExpression>
#include <algorithm>
#include <limits>

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
  bringUp(*findChild<Panel*>(QStringLiteral("notesPanel")));
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

// Continues at `start` if there is no further problem in this direction. The message disappears
// when the position moves on.
void MainWindow::goToProblem(EventId (ProblemWatch::*find)(EventId) const, EventId start) {
  EventId event = (problems_.*find)(cursor_.position());
  if (event == 0) {
    event = (problems_.*find)(start);
    wrappedTo_ = event;
    if (event != 0) {
      messages_->showMessage(
          kWrapped,
          {MessageBar::Kind::Note, start == 0 ? tr("No later problem. This is the first one.")
                                              : tr("No earlier problem. This is the last one.")});
    }
  }
  goToEvent(event);
}

// Moves a recording that has just been opened to its first error, which the search may find late,
// as a collective that the ranks called differently before they failed. In a run with errors, waits
// for the end of the search: until then, what follows from an error may be listed without it. Does
// nothing after the position was moved otherwise.
void MainWindow::goToFirstError() {
  const bool mayFollow = problems_.isSearching() && cursor_.journal().firstError() != 0;
  if (openedAt_ == 0 || problems_.errors() == 0 || mayFollow) {
    return;
  }
  const auto error = std::ranges::find_if(*problems_.problems(), [](const Problem& problem) {
    return problem.severity == Problem::Severity::Error && !problem.events.empty();
  });
  const EventId first = error == problems_.problems()->end() ? 0 : error->events.front();
  if (first != 0 && (openedAt_ == kAtEnd || first < openedAt_)) {
    openedAt_ = first;
    cursor_.moveTo(first);
  }
}

void MainWindow::raiseProblems() {
  auto* panel = findChild<ProblemsPanel*>();
  bringUp(*panel);
  panel->focusTable();
}

// Returns panels, problems, and what the recording names.
std::vector<CommandPalette::Place> MainWindow::placesFor(const QString& letters) {
  std::vector<CommandPalette::Place> found;
  if (document() == nullptr || letters.trimmed().isEmpty()) {
    return found;
  }
  std::vector<std::pair<int, CommandPalette::Place>> ranked;
  const auto add = [&](const QString& title, std::function<void()> go) {
    if (const auto score = fuzzyScore(letters, title)) {
      ranked.emplace_back(*score, CommandPalette::Place{title, std::move(go)});
    }
  };
  for (Panel* panel : panels_) {
    add(tr("Panel: %1").arg(panel->title()), [this, panel] {
      bringUp(*panel);
      panel->setFocus(Qt::ShortcutFocusReason);
    });
  }
  for (const Problem& problem : *problems_.problems()) {
    if (!problem.events.empty()) {
      add(tr("Problem: %1").arg(toQString(problem.sentence)),
          [this, event = problem.events.front()] { jumpTo(event); });
    }
  }
  for (const RunPlace& place : places_.find(cursor_.journal(), letters)) {
    const bool isNumbered =  // RunPlaces lists these first
        place.kind == RunPlace::Kind::Event || place.kind == RunPlace::Kind::Rank;
    const int score =
        isNumbered ? std::numeric_limits<int>::max() : fuzzyScore(letters, place.title).value_or(0);
    ranked.emplace_back(score,
                        CommandPalette::Place{place.title, [this, place] { goToPlace(place); }});
  }
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const auto& left, const auto& right) { return left.first > right.first; });
  for (auto& [score, place] : ranked) {
    found.push_back(std::move(place));
  }
  // A text that only a query has.
  const bool isQuery = letters.contains(QRegularExpression(QStringLiteral(R"(\w[:<>=])")));
  if (isQuery && parseQuery(letters.toStdString(), cursor_.journal())) {
    found.push_back(
        {tr("Filter events: %1").arg(letters), [this, letters] { filterSteps(letters); }});
  }
  return found;
}

void MainWindow::goToPlace(const RunPlace& place) {
  switch (place.kind) {
    case RunPlace::Kind::Step:
      return jumpToStep(place.number);
    case RunPlace::Kind::Rank:
      bringUp(*findChild<MeshPanel*>());
      return showShard(place.number);
    case RunPlace::Kind::Module:
      filterSteps(QStringLiteral("module:") + toQString(writtenValue(place.name.toStdString())));
      break;
    default:
      break;
  }
  jumpTo(place.event);
}

void MainWindow::filterRows() {
  const QString subject = QStringLiteral("filter");
  if (steps_->isAncestorOf(QApplication::focusWidget())) {
    steps_->openFilter();
  } else if (FilterLine::openIn(*middle_)) {
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
  bringUp(*mesh);
  mesh->openRankLine();
}

void MainWindow::showShard(int rank) {
  auto* shards = findChild<ShardsPanel*>();
  bringUp(*shards);
  shards->showRank(rank);
}

void MainWindow::filterSteps(const QString& query) {
  bringUp(*steps_);
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
  bringUp(*notes);
  notes->bookmarks().editNote();
}

}  // namespace shardlens
