#include "ui/panels/problems_panel.h"

#include "core/view/words/run_again.h"
#include "ui/scenes/theme.h"
#include "ui/scenes/zoom.h"
#include "ui/text/format.h"
#include "ui/widgets/filter_line.h"
#include "ui/widgets/note_box.h"
#include "ui/widgets/row_actions.h"
#include "ui/widgets/table_view.h"
#include "ui/widgets/try_button.h"
#include "ui/widgets/window_notation.h"

#include <QAction>
#include <QApplication>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QItemSelectionModel>
#include <QLabel>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

namespace shardlens {
namespace {

using ProblemColumn = ProblemsTable::Column;

// Returns the cause, the consequences, the advice, and below them the sentence, of which the row
// may show a part.
QString adviceWords(const Problem& problem) {
  QStringList lines;
  const std::string then =
      problem.consequences.empty() ? std::string() : "then " + problem.consequences;
  for (const auto& line : {problem.cause, then, problem.advice}) {
    if (!line.empty()) lines << QStringLiteral("<b>%1</b>").arg(toQString(line).toHtmlEscaped());
  }
  lines << toQString(problem.sentence).toHtmlEscaped();
  return lines.join(QStringLiteral("<br>"));
}

// Returns "occurrence 2 of 3", or "3 occurrences" if the position is at none of the events.
QString timesWords(const Problem& problem, EventId position) {
  const auto& events = problem.events;
  const auto here = std::lower_bound(events.begin(), events.end(), position);
  const bool isHere = here != events.end() && *here == position;
  QString text =
      isHere ? QObject::tr("occurrence %1 of %2").arg(here - events.begin() + 1).arg(problem.times)
             : QObject::tr("%1 occurrences").arg(problem.times);
  if (problem.times > events.size()) {
    text += QObject::tr(", the first %1 are listed").arg(events.size());
  }
  return text;
}

}  // namespace

ProblemsPanel::ProblemsPanel(QWidget* parent)
    : Panel(parent),
      model_(new TableModel(this)),
      table_(new QuietTable(QStringLiteral("problemsView"), *model_,
                            {.marked = TableModel::MarkedRole,
                             .tone = TableModel::ToneRole,
                             .shared = TableModel::SharedRole,
                             .icon = TableModel::IconRole,
                             .below = TableModel::BelowRole})),
      none_(new QLabel),
      foot_(new QWidget),
      advice_(new NoteBox(QStringLiteral("problemAdvice"))),
      try_(new TryButton(QStringLiteral("tryRepair"))),
      whatIf_(new QPushButton),
      times_(new ElidedLabel(ElidedLabel::Role::Aside)),
      previous_(makeMove("previousTime", QStringLiteral("‹"), tr("Previous occurrence"),
                         Qt::ALT | Qt::Key_Up, eventBefore)),
      next_(makeMove("nextTime", QStringLiteral("›"), tr("Next occurrence"), Qt::ALT | Qt::Key_Down,
                     eventAfter)),
      shown_(std::make_shared<const std::vector<Problem>>()) {
  table_->setAccessibleName(tr("Problems of the recording"));
  model_->setTable(problemsTable(shown_, 0));
  auto* columns = table_->horizontalHeader();
  columns->setSectionResizeMode(QHeaderView::ResizeToContents);
  columns->setSectionResizeMode(ProblemColumn::What, QHeaderView::Stretch);
  leadToEvents(*table_);
  connect(this, &Panel::positionRequested, this, [this](EventId event) { requested_ = event; });
  connect(table_->selectionModel(), &QItemSelectionModel::currentChanged, this,
          &ProblemsPanel::showCurrent);
  // Also after filtering.
  connect(model_, &TableModel::modelReset, this, &ProblemsPanel::showCurrent);
  connect(model_, &TableModel::layoutChanged, this, &ProblemsPanel::showCurrent);
  none_->setObjectName(QStringLiteral("noProblems"));
  none_->setAlignment(Qt::AlignCenter);
  none_->setWordWrap(true);
  atEachZoom(none_, [label = none_] { label->setFont(zoomed(textFont(12))); });
  none_->setForegroundRole(kMutedRole);
  times_->setObjectName(QStringLiteral("problemTimes"));
  connect(try_, &TryButton::requested, this, &ProblemsPanel::placementRequested);
  whatIf_->setObjectName(QStringLiteral("whatIfSuspect"));
  whatIf_->setText(tr("What if…"));  // short, because the other button names the tensor
  whatIf_->setAccessibleName(tr("What if"));
  connect(whatIf_, &QPushButton::clicked, this, [this] {
    if (const Problem* problem = current(); problem != nullptr) {
      Q_EMIT whatIfRequested(toQString(problem->suspect));
    }
  });
  auto* times = new QHBoxLayout;
  times->setSpacing(6);
  times->addWidget(try_);
  times->addWidget(whatIf_);
  times->addWidget(times_, 1);
  times->addWidget(previous_);
  times->addWidget(next_);
  auto* foot = new QVBoxLayout(foot_);
  foot->setContentsMargins(6, 0, 6, 0);
  foot->setSpacing(6);
  foot->addWidget(advice_);
  foot->addLayout(times);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(6, 4, 6, 10);
  layout->setSpacing(6);
  layout->addWidget(none_, 1);
  layout->addWidget(new FilterLine(*table_));
  layout->addWidget(table_, 1);
  layout->addWidget(foot_);
}

QToolButton* ProblemsPanel::makeMove(const char* name, const QString& text,
                                     const QString& description, QKeyCombination key,
                                     EventId (*find)(const std::vector<EventId>&, EventId)) {
  auto* action = new QAction(text, this);
  action->setObjectName(QLatin1String(name));
  action->setShortcut(QKeySequence(key));
  action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
  addAction(action);
  connect(action, &QAction::triggered, this, [this, find] {
    const Problem* problem = current();
    if (const EventId event = problem == nullptr ? 0 : find(problem->events, position_)) {
      Q_EMIT positionRequested(event);
    }
  });
  auto* button = new QToolButton;
  button->setDefaultAction(action);
  button->setObjectName(QLatin1String(name) + QStringLiteral("Button"));
  button->setAccessibleName(description);
  action->setToolTip(QStringLiteral("%1 (%2)").arg(
      description, action->shortcut().toString(QKeySequence::NativeText)));
  button->setFocusPolicy(Qt::TabFocus);
  return button;
}

void ProblemsPanel::setWatch(const ProblemWatch& watch) {
  watch_ = &watch;
  connect(watch_, &ProblemWatch::changed, this, &ProblemsPanel::showProblems);
  showProblems();
}

void ProblemsPanel::focusTable() { table_->setFocus(Qt::ShortcutFocusReason); }

void ProblemsPanel::setSnapshot(const Journal& journal, const Snapshot& snapshot) {
  words_ = view::PlacementWords(journal, notationOf(*this));
  const QString reason = toQString(view::whyNotRunAgain(journal));
  try_->setReason(reason);
  whatIf_->setEnabled(reason.isEmpty());
  whatIf_->setToolTip(reason);
  unchecked_ = reason.isEmpty()
                   ? tr("Results were not compared with plain tensors. To compare them: File > "
                        "Check results.")
                   : tr("Results cannot be compared with plain tensors. %1.").arg(reason);
  const bool moved = std::exchange(position_, snapshot.position) != snapshot.position;
  showProblems();
  if (const int row = model_->markedRow(); moved && row >= 0) {
    // An occurrence that was chosen here keeps its row, also if the position has a worse problem.
    const std::vector<EventId>& events = current()->events;
    const bool isOfIt = std::binary_search(events.begin(), events.end(), position_);
    const bool isChosen = std::exchange(requested_, 0) == position_;
    if (isChosen && isOfIt && table_->currentIndex().isValid()) {
      table_->scrollTo(table_->currentIndex());
    } else {
      table_->setCurrentIndex(model_->index(row, 0));
    }
  }
}

void ProblemsPanel::showProblems() {
  if (watch_ == nullptr) {
    return;
  }
  const bool isNew = std::exchange(shown_, watch_->problems()) != shown_;
  model_->setTable(problemsTable(shown_, position_));
  // The advice is that of the marked row, also if a worse problem is found at the position. A row
  // that a person chose stays.
  const QWidget* focus = QApplication::focusWidget();
  const bool isUsed = focus != nullptr && isAncestorOf(focus);
  if (const int row = model_->markedRow(); isNew && !isUsed && row >= 0) {
    table_->setCurrentIndex(model_->index(row, 0));
  }
  const bool any = !shown_->empty();
  showColumns();
  table_->setVisible(any);
  none_->setVisible(!any);
  const EventId size = watch_->size();
  const QString events = countText(size, tr("event"), tr("events"));
  const int percent = size == 0 ? 0 : static_cast<int>(quint64{watch_->seen()} * 100 / size);
  const bool searches = watch_->isSearching();
  const QString checked =
      watch_->hasSeenChecks() ? tr("All checked results match plain tensors.") : unchecked_;
  none_->setText(size == 0  ? tr("No events yet.")
                 : searches ? tr("Searching %1 for problems: %2 %").arg(events).arg(percent)
                            : tr("No problems in %1. %2").arg(events, checked));
  header()->setNote(searches && any ? tr("%1 · searching, %2 %").arg(watch_->summary()).arg(percent)
                                    : watch_->summary());
  showCurrent();
}

void ProblemsPanel::resizeEvent(QResizeEvent* event) {
  Panel::resizeEvent(event);
  showColumns();
}

// Hides the number of occurrences if the panel is narrow, because the second line has it, too.
void ProblemsPanel::showColumns() {
  constexpr int kNarrow = 520;
  const bool isAnyRepeated = std::any_of(shown_->begin(), shown_->end(),
                                         [](const Problem& each) { return each.times > 1; });
  table_->setColumnHidden(ProblemColumn::Times, !isAnyRepeated || width() < zoomed(kNarrow));
}

// Returns the problem of the current row, else of the marked row, else of the first row. nullptr if
// the table is empty.
const Problem* ProblemsPanel::current() const {
  if (model_->rowCount() == 0) {
    return nullptr;
  }
  const int row = table_->currentIndex().isValid() ? table_->currentIndex().row()
                                                   : std::max(0, model_->markedRow());
  return &(*shown_)[model_->placeOf(row)];
}

void ProblemsPanel::showCurrent() {
  const Problem* problem = current();
  foot_->setVisible(problem != nullptr);
  if (problem == nullptr) {
    return;
  }
  const bool isError = problem->severity == Problem::Severity::Error;
  advice_->setText(isError ? NoteBox::Kind::Problem : NoteBox::Kind::Warning,
                   adviceWords(*problem));
  try_->setRepair(problem->repair, words_);
  whatIf_->setVisible(!problem->suspect.empty());
  const QString whatIf = tr("What if %1 were placed differently").arg(toQString(problem->suspect));
  whatIf_->setToolTip(whatIf);
  whatIf_->setAccessibleName(whatIf);
  const bool hasSeveral = problem->events.size() > 1;
  times_->setText(hasSeveral ? timesWords(*problem, position_) : QString());
  for (QToolButton* button : {previous_, next_}) {
    button->setVisible(hasSeveral);
  }
  previous_->defaultAction()->setEnabled(eventBefore(problem->events, position_) != 0);
  next_->defaultAction()->setEnabled(eventAfter(problem->events, position_) != 0);
}

}  // namespace shardlens
