#include "ui/shell/main_window.h"

#include "ui/pages/breakpoints_sheet.h"
#include "ui/pages/command_palette.h"
#include "ui/pages/comparison_page.h"
#include "ui/pages/legend.h"
#include "ui/pages/open_steps_dialog.h"
#include "ui/pages/opening_page.h"
#include "ui/pages/shortcuts.h"
#include "ui/pages/tour.h"
#include "ui/pages/welcome_page.h"
#include "ui/panels/inspector_panel.h"
#include "ui/panels/panel.h"
#include "ui/panels/steps_panel.h"
#include "ui/scenes/zoom.h"
#include "ui/shell/bookmark_control.h"
#include "ui/shell/document_title.h"
#include "ui/shell/exports.h"
#include "ui/shell/link_bar.h"
#include "ui/shell/presentation.h"
#include "ui/shell/program_editing.h"
#include "ui/shell/recent_files.h"
#include "ui/shell/remembered_breakpoints.h"
#include "ui/shell/settings.h"
#include "ui/shell/top_bar.h"
#include "ui/widgets/return_key.h"

#include <QAbstractButton>
#include <QApplication>
#include <QCloseEvent>
#include <QComboBox>
#include <QKeyEvent>
#include <QStackedWidget>
#include <QVBoxLayout>
#include <utility>

namespace shardlens {
namespace {

const QString kTourSeen = QStringLiteral("tour seen");
constexpr int kProgress = 400;  // ms of waiting before the progress bar is shown

}  // namespace

MainWindow::MainWindow(Memory memory, QWidget* parent)
    : QWidget(parent),
      memory_(memory),
      area_(new QMainWindow(this)),
      docks_(std::make_unique<DockLayout>(*area_)),
      top_(new TopBar),
      messages_(new MessageBar),
      linkBar_(new LinkBar),
      middle_(new QStackedWidget),
      welcome_(new WelcomePage),
      openingPage_(new OpeningPage),
      recent_(new RecentFiles(this)),
      exports_(new Exports(*this)),
      editing_(new ProgramEditing(*this, host_)),
      normalZoom_(Zoom::now().factor()),
      progress_(this) {
  setObjectName(QStringLiteral("mainWindow"));
  setAcceptDrops(true);
  setMinimumSize(kSmallest);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->setSizeConstraint(QLayout::SetNoConstraint);
  column->addWidget(top_);
  auto* body = new QVBoxLayout;
  body->setContentsMargins(8, 8, 8, 8);
  body->setSpacing(8);
  body->addWidget(linkBar_);
  body->addWidget(messages_);
  middle_->addWidget(welcome_);
  middle_->addWidget(openingPage_);
  middle_->addWidget(area_);
  body->addWidget(middle_, 1);
  column->addLayout(body, 1);
  run_ = std::make_unique<RunControl>(cursor_, breakpoints_, *messages_);
  bookmarks_ = std::make_unique<BookmarkControl>(host_, cursor_, *messages_);
  makePanels();
  commands_ = std::make_unique<Commands>(*this, handlers());
  presentation_ = new Presentation(*this, *docks_, *top_);
  tour_ = new Tour(this);
  legend_ = new Legend(this);
  comparison_ = new ComparisonPage;
  middle_->addWidget(comparison_);
  breakpointsSheet_ = new BreakpointsSheet(breakpoints_, this);
  palette_ = new CommandPalette(
      commands_->paletteEntries(), [this](const QString& letters) { return placesFor(letters); },
      this);
  shortcuts_ = new ShortcutSheet(commands_->shortcutGroups(), this);
  makeMenus();
  connectParts();
  editing_->connectParts(*commands_);
  progress_.setObjectName(QStringLiteral("waitDelay"));
  progress_.setSingleShot(true);
  progress_.setInterval(kProgress);
  showWelcome();
  recall();
}

MainWindow::~MainWindow() { closeDocument(); }

void MainWindow::documentPresented(std::optional<EventId> position) {
  Document* shown = document();
  problem_.clear();
  openedAt_ = 0;
  recallBreakpoints();
  history_.clear();
  bookmarks_->forget();
  ending_.clear();
  cursor_.setJournal(
      shown->journal(),
      shown->mayGrow() ? [shown](EventId to) { shown->runTo(to); } : std::function<void(EventId)>(),
      shown->states());
  if (position) {
    cursor_.moveTo(*position);
  } else if (shown->engine() == nullptr) {
    cursor_.moveTo(shown->firstProblemOrEnd());
    openedAt_ = cursor_.position() == cursor_.size() ? kAtEnd : cursor_.position();
  }
  if (isTourDue() && shown->engine() != nullptr && !position) {
    run_->runTo(QStringLiteral("kind:strategy"));  // so that the tour shows no empty panel
  }
  middle_->setCurrentWidget(area_);
  if (presentation_->isOn()) {
    presentation_->restoreFocus();
  } else {
    arrangeFor(contentOf(shown->journal(), shown->mayGrow()));
    if (isVisible()) {
      placeDocks();
    }
    steps_->setFocus();
  }
  documentChanged();
  if (memory_ == Memory::Keeps && !RunFolder::contains(shown->path())) {
    recent_->add(shown->path());
  }
}

// Starts the tour once, for a new user, when the panels have something to show.
void MainWindow::offerTour() {
  const bool isFilled = document() != nullptr && currentStep() >= 0 && !cursor_.waits();
  if (isFilled && isTourDue() && !presentation_->isOn() && !comparison_->isOpen()) {
    settings().setValue(kTourSeen, true);
    tour_->begin();
  }
}

bool MainWindow::isTourDue() const {
  return memory_ == Memory::Keeps && isVisible() && !settings().value(kTourSeen).toBool();
}

void MainWindow::documentChanged() {
  if (&cursor_.journal() != &document()->journal()) {
    cursor_.adoptJournal(document()->journal(), document()->states());
    redraw();
  }
  if (document()->mayGrow()) {
    cursor_.journalGrew();
  } else {
    cursor_.journalEnded();
  }
  adaptPerspective();
  watchProblems();
  showTitle();
  showAvailable();
}

// Arranges the panels again if a run that is being recorded hangs, or continues. Keeps them for
// other changes, because panels should not move while the user looks at them.
void MainWindow::adaptPerspective() {
  if (document()->engine() != nullptr || presentation_->isOn() || comparison_->isOpen()) return;
  const RunContent content = contentOf(document()->journal(), document()->mayGrow());
  if (content.perspective != arranged_) arrangeFor(content);
}

void MainWindow::arrangeFor(const RunContent& content) {
  arranged_ = content.perspective;
  docks_->arrangeFor(content);
}

void MainWindow::showTitle() {
  const DocumentTitle title = titleOf(*document());
  const bool isUnsaved = editing_->changes().isUnsaved();
  top_->setTitle(title.name,
                 isUnsaved ? title.about + tr("  ·  program changed, not saved") : title.about);
  setWindowTitle(title.window + QStringLiteral("[*]"));
  setWindowModified(isUnsaved);
}

void MainWindow::programChanged() {
  if (document() != nullptr) {
    showTitle();
    showAvailable();
  }
}

// For a followed run, an unclosed recording only means that the connection was lost, so lost ranks
// are ignored.
void MainWindow::watchProblems() {
  const Journal& journal = document()->journal();
  const bool isCopied = host_.following() != nullptr;
  problems_.setJournal(journal, document()->mayGrow() ? RunState::Running : RunState::Ended,
                       isCopied ? std::vector<int>() : document()->lostRanks());
  problems_.setEnding(endingOf(journal, ending_));
}

void MainWindow::documentFailed(const QString& message) {
  problem_ = message;
  ending_ = message;
  documentChanged();
}

void MainWindow::documentRefused(const QString& message) {
  problem_ = message;
  showProgress();
  Q_EMIT redrawn();
}

// Breakpoints belong to the document and stay when it is run again or changed.
void MainWindow::recallBreakpoints() {
  if (breakpointsOf_ == document()->path() || editing_->isChangedRun()) {
    return;
  }
  breakpointsOf_.clear();
  breakpoints_.load(memory_ == Memory::Keeps ? rememberedBreakpoints(document()->path())
                                             : QVariantList());
  breakpointsOf_ = document()->path();
}

// Makes the panels drop their references to the journal before it is destroyed.
void MainWindow::forgetJournal() {
  run_->stop();
  cursor_.clear();
  places_ = {};
  comparison_->close();  // it shows the document that closes
  problems_.setJournal(cursor_.journal(), RunState::Ended);
  problems_.setEnding({});
  breakpointsSheet_->setJournal(cursor_.journal());
  for (Panel* panel : panels_) {
    panel->setSnapshot(cursor_.journal(), cursor_.snapshot());
  }
}

void MainWindow::closeDocument() {
  presentation_->setOn(false);
  host_.close();
}

void MainWindow::showWelcome() {
  tour_->hide();
  problem_.clear();
  showAvailable();
  top_->setTitle({}, {});
  setWindowModified(false);
  setWindowTitle(QStringLiteral("Shardlens"));
  middle_->setCurrentWidget(welcome_);
}

void MainWindow::showOpening(const RunSummary& summary) {
  openingPage_->setRun(opening()->fileName(), summary);
  hasTotals_ = true;
  if (opening()->awaitsSteps()) {
    askForSteps(summary);
  }
  if (top_->isBusy()) {
    showWait();
  }
}

// Shows that a wait takes long, and the totals of the run that is opening. An open document stays
// visible until the new one is read.
void MainWindow::showWait() {
  top_->setBusy(true);
  if (hasTotals_ && document() == nullptr) {
    middle_->setCurrentWidget(openingPage_);
  }
}

void MainWindow::openingChanged() {
  hasTotals_ = false;
  showProgress();
  if (middle_->currentWidget() == openingPage_) {
    middle_->setCurrentWidget(welcome_);
  }
}

void MainWindow::redraw() {
  if (cursor_.position() != (openedAt_ == kAtEnd ? cursor_.size() : openedAt_)) {
    openedAt_ = 0;
  }
  if (wrappedTo_ != 0 && !cursor_.waits() && cursor_.position() != wrappedTo_) {
    wrappedTo_ = 0;
    messages_->withdraw(kWrapped);
  }
  const Snapshot snapshot = cursor_.snapshot();
  for (Panel* panel : panels_) {
    panel->setSnapshot(cursor_.journal(), snapshot);
  }
  comparison_->setSnapshot(cursor_.journal(), snapshot);
  breakpointsSheet_->setJournal(cursor_.journal());
  showAvailable();
  showPosition();
  showProgress();
  offerTour();
  Q_EMIT redrawn();
}

void MainWindow::showPosition() {
  const auto text = [this](EventId position) {
    QString where = cursor_.mayGrow() && cursor_.position() == cursor_.size()
                        ? tr("event %1, live").arg(position)
                        : tr("event %1 of %2").arg(position).arg(cursor_.size());
    if (document() != nullptr && !document()->steps().empty()) {
      where += tr(" in %1").arg(namedSteps(document()->steps()));
    }
    if (cursor_.waits()) {
      where += QStringLiteral(" …");
    }
    return run_->isPlaying() ? where + tr(" · playing, %1").arg(run_->speedText()) : where;
  };
  top_->setPosition(text(cursor_.position()), text(cursor_.size()));
  top_->setMoveText(commands_->action("play"), run_->isPlaying() ? tr("pause") : tr("play"));
  top_->setShare(static_cast<double>(cursor_.position()) / std::max(1U, cursor_.size()));
}

// Shows the progress bar only after kProgress, because most waits are short.
void MainWindow::showProgress() {
  commands_->setAvailable(Needs::RunningEngine, host_.runningEngine() != nullptr);
  const bool waits = isOpening() || (cursor_.waits() && cursor_.mayGrow());
  if (!waits) {
    progress_.stop();
    top_->setBusy(false);
  } else if (!progress_.isActive() && !top_->isBusy()) {
    progress_.start();
  }
}

// Filters keys before shortcuts and the focused widget get them: Space presses a focused button or
// opens a list instead of playing. Escape first stops a search or playback.
bool MainWindow::event(QEvent* event) {
  if (event->type() == QEvent::ThemeChange) {
    followSystem();
  } else if (event->type() == QEvent::ShortcutOverride) {
    const int key = static_cast<QKeyEvent*>(event)->key();
    const QWidget* focus = QApplication::focusWidget();
    const bool isPressed = qobject_cast<const QAbstractButton*>(focus) != nullptr ||
                           qobject_cast<const QComboBox*>(focus) != nullptr;
    hasStopped_ = key == Qt::Key_Escape && run_->isGoing();
    if (hasStopped_) {
      run_->stop();
    }
    if (hasStopped_ || (key == Qt::Key_Space && isPressed)) {
      event->accept();
      return true;
    }
  }
  return QWidget::event(event);
}

void MainWindow::inspect(TensorId tensor, int rank, const Shape& local) {
  auto* inspector = findChild<InspectorPanel*>();
  bringUp(*inspector);
  inspector->showElement(tensor, rank, local);
}

void MainWindow::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  if (document() != nullptr) {
    placeDocks();
  }
}

void MainWindow::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Escape && std::exchange(hasStopped_, false)) {
    return;
  }
  if (event->key() == Qt::Key_Escape && presentation_->isOn()) {
    presentation_->setOn(false);
  } else if (event->key() == Qt::Key_Escape && middle_->currentWidget() == comparison_) {
    comparison_->close();
  } else if (!pressedFocusedButton(*event)) {
    QWidget::keyPressEvent(event);
  }
}

void MainWindow::closeEvent(QCloseEvent* event) {
  if (!editing_->mayLose()) {
    return event->ignore();
  }
  presentation_->setOn(false);  // its layout is not stored
  remember();
  host_.cancelOpening();
  closeDocument();
  event->accept();
}

}  // namespace shardlens
