#include "ui/shell/main_window.h"

#include "ui/models/format.h"
#include "ui/panels/panel.h"
#include "ui/panels/panel_catalogue.h"
#include "ui/shell/legend.h"
#include "ui/shell/shortcuts.h"
#include "ui/shell/top_bar.h"
#include "ui/shell/welcome_page.h"

#include <QStackedWidget>
#include <QVBoxLayout>
#include <utility>

namespace shardlens {

namespace {

constexpr int kProgress = 400;  // ms of waiting until that is shown

}  // namespace

MainWindow::MainWindow(Memory memory, QWidget* parent)
    : QWidget(parent),
      memory_(memory),
      area_(new QMainWindow(this)),
      docks_(std::make_unique<DockLayout>(*area_)),
      top_(new TopBar),
      messages_(new MessageBar),
      middle_(new QStackedWidget),
      welcome_(new WelcomePage) {
  setObjectName(QStringLiteral("mainWindow"));
  setWindowTitle(QStringLiteral("Shardlens"));
  setAcceptDrops(true);
  setMinimumSize(kSmallest);
  area_->setWindowFlags(Qt::Widget);  // its constructor makes a window of it
  area_->setDockOptions(QMainWindow::AllowNestedDocks | QMainWindow::AllowTabbedDocks);
  area_->setDocumentMode(true);
  area_->setTabPosition(Qt::AllDockWidgetAreas, QTabWidget::North);
  area_->setCorner(Qt::BottomLeftCorner, Qt::LeftDockWidgetArea);
  area_->setCorner(Qt::BottomRightCorner, Qt::RightDockWidgetArea);
  area_->setContextMenuPolicy(Qt::NoContextMenu);

  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->setSizeConstraint(QLayout::SetNoConstraint);
  column->addWidget(top_);
  auto* body = new QVBoxLayout;
  body->setContentsMargins(8, 8, 8, 8);
  body->setSpacing(8);
  body->addWidget(messages_);
  middle_->addWidget(welcome_);
  middle_->addWidget(area_);
  body->addWidget(middle_, 1);
  column->addLayout(body, 1);
  makePanels();
  commands_ = std::make_unique<Commands>(*this, handlers());
  legend_ = new Legend(this);
  shortcuts_ = new ShortcutSheet(commands_->actions(), this);
  makeMenus();
  connect(welcome_, &WelcomePage::openWanted, this, &MainWindow::askForFile);
  connect(welcome_, &WelcomePage::pathWanted, this,
          [this](const QString& path) { openPath(path); });
  connect(&cursor_, &Cursor::moved, this, &MainWindow::redraw);
  progress_.setSingleShot(true);
  progress_.setInterval(kProgress);
  connect(&progress_, &QTimer::timeout, this, [this] { top_->setBusy(true); });
  recall();
}

MainWindow::~MainWindow() { closeDocument(); }

void MainWindow::makePanels() {
  for (const PanelEntry& entry : panelCatalogue()) {
    Panel* panel = makePanel(entry);
    docks_->add(panel, entry.place);
    connect(panel, &Panel::positionWanted, &cursor_, &Cursor::moveTo);
    connect(panel, &Panel::stepWanted, &cursor_, &Cursor::toEndOfStep);
    panels_.push_back(panel);
  }
}

// The journal must outlive what the panels keep of it, so they let go of it first.
void MainWindow::closeDocument() {
  if (!document_) {
    return;
  }
  document_->disconnect(this);
  messages_->clear();
  problem_.clear();
  failure_.clear();
  cursor_.clear();
  for (Panel* panel : panels_) {
    panel->setSnapshot(cursor_.journal(), cursor_.snapshot());
  }
  document_.reset();
  showAvailable();
  top_->setTitle({}, {});
  setWindowTitle(QStringLiteral("Shardlens"));
  middle_->setCurrentWidget(welcome_);
}

void MainWindow::documentChanged() {
  if (&cursor_.journal() != &document_->journal()) {
    cursor_.adoptJournal(document_->journal());
    redraw();
  }
  if (document_->mayGrow()) {
    cursor_.journalGrew();
  } else {
    cursor_.journalEnded();
  }
  messages_->withdraw(kSilent);
  showTitle();
  showFailure();
  showAvailable();
}

void MainWindow::documentFailed(const QString& message) {
  if (!document_) {
    return;
  }
  problem_ = message;
  messages_->say(QStringLiteral("ended"), {MessageBar::Kind::Problem, message});
  documentChanged();
}

void MainWindow::showTitle() {
  const Journal& journal = document_->journal();
  const QString title = document_->title();
  const QString file = document_->fileName();
  QStringList about;
  if (title != file) {
    about << file;
  }
  about << document_->stateText();
  const auto tell = [&](const char* key, const QString& words) {
    if (!journal.meta(key).empty()) {
      about << words.arg(toQString(journal.meta(key)));
    }
  };
  tell("mesh", tr("mesh %1"));
  tell("backend", tr("%1 ranks"));
  // What is emulated says how ids are masked.
  if (journal.meta("emulate").empty()) {
    tell("masking", tr("masking %1"));
  }
  tell("emulate", tr("emulates %1"));
  top_->setTitle(title, about.join(QStringLiteral("  ·  ")));
  QStringList names{QStringLiteral("%1 (%2)").arg(file, document_->stateText())};
  if (title != file) {
    names << title;
  }
  names << QStringLiteral("Shardlens");
  setWindowTitle(names.join(QStringLiteral(" — ")));
}

// Once each time that there is something new about it: it may be closed. Of a run that is followed,
// a copy that was not closed says only that the connection is gone.
void MainWindow::showFailure() {
  const auto failure = following_ ? failureOf(document_->journal(), {}) : document_->failure();
  if (!failure || failure->text == std::exchange(failure_, failure->text)) {
    return;
  }
  messages_->say(QStringLiteral("failure"),
                 {MessageBar::Kind::Problem, failure->text, tr("Go to it"),
                  [this, at = failure->at] { cursor_.moveTo(at); }});
}

void MainWindow::redraw() {
  const Snapshot& snapshot = cursor_.snapshot();
  for (Panel* panel : panels_) {
    panel->setSnapshot(cursor_.journal(), snapshot);
  }
  showAvailable();
  QString where = cursor_.mayGrow() && cursor_.position() == cursor_.size()
                      ? tr("event %1, live").arg(cursor_.position())
                      : tr("event %1 of %2").arg(cursor_.position()).arg(cursor_.size());
  if (cursor_.waits()) {
    where += QStringLiteral(" …");
  }
  top_->setPosition(where);
  showProgress();
  Q_EMIT redrawn();
}

void MainWindow::showAvailable() {
  const bool open = document_ != nullptr;
  commands_->setAvailable(Needs::Document, open);
  commands_->setAvailable(Needs::OneRecording, open && document_->canSave());
  commands_->setAvailable(Needs::Scenario, open && document_->engine() != nullptr);
  commands_->setAvailable(Needs::RunningEngine, runningEngine() != nullptr);
  commands_->setAvailable(Needs::WayToStart, open && (cursor_.position() > 0 || cursor_.waits()));
  commands_->setAvailable(Needs::EarlierEvents, open && cursor_.position() > 0);
  commands_->setAvailable(Needs::LaterEvents, open && !cursor_.atEnd());
}

// A wait that is short is not worth a movement.
void MainWindow::showProgress() {
  commands_->setAvailable(Needs::RunningEngine, runningEngine() != nullptr);
  const bool waits = isOpening() || (cursor_.waits() && cursor_.mayGrow());
  if (!waits) {
    progress_.stop();
    top_->setBusy(false);
  } else if (!progress_.isActive() && !top_->isBusy()) {
    progress_.start();
  }
}

}  // namespace shardlens
