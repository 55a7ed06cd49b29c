#include "ui/shell/main_window.h"

#include "ui/models/format.h"
#include "ui/panels/buffers_panel.h"
#include "ui/panels/caches_panel.h"
#include "ui/panels/mesh_panel.h"
#include "ui/panels/notes_panel.h"
#include "ui/panels/program_panel.h"
#include "ui/panels/shards_panel.h"
#include "ui/panels/steps_panel.h"
#include "ui/panels/why_panel.h"
#include "ui/shell/top_bar.h"
#include "ui/shell/welcome_page.h"

#include <QCloseEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QMimeData>
#include <QStackedWidget>
#include <QVBoxLayout>

namespace shardlens {

MainWindow::MainWindow(Memory memory, QWidget* parent)
    : QWidget(parent),
      memory_(memory),
      actions_(std::make_unique<Actions>(this)),
      area_(new QMainWindow(this)),
      docks_(std::make_unique<DockLayout>(*area_)),
      top_(new TopBar),
      messages_(new MessageBar),
      middle_(new QStackedWidget),
      welcome_(new WelcomePage) {
  setObjectName(QStringLiteral("mainWindow"));
  setWindowTitle(QStringLiteral("Shardlens"));
  setAcceptDrops(true);
  area_->setWindowFlags(Qt::Widget);  // its constructor makes a window of it
  area_->setDockOptions(QMainWindow::AnimatedDocks | QMainWindow::AllowNestedDocks |
                        QMainWindow::AllowTabbedDocks);
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
  body->addWidget(area_, 1);
  column->addLayout(body, 1);
  makePanels();
  makeMenus();
  connectActions();
  connect(&cursor_, &Cursor::moved, this, &MainWindow::redraw);
  showDocks(false);
  recall();
}

MainWindow::~MainWindow() { closeDocument(); }

void MainWindow::makePanels() {
  program_ = new ProgramPanel;
  steps_ = new StepsPanel;
  auto* shards = new ShardsPanel;
  auto* buffers = new BuffersPanel;
  auto* caches = new CachesPanel;
  auto* mesh = new MeshPanel;
  auto* why = new WhyPanel;
  auto* notes = new NotesPanel;
  panels_ = {program_, steps_, shards, buffers, caches, mesh, why, notes};

  auto* card = new QWidget;
  auto* column = new QVBoxLayout(card);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(shards->header());
  column->addWidget(shards, 1);
  middle_->addWidget(welcome_);
  middle_->addWidget(card);
  area_->setCentralWidget(middle_);

  using Place = DockLayout::Place;
  docks_->add(program_, Place::LeftTop);
  docks_->add(steps_, Place::LeftBottom);
  docks_->add(buffers, Place::BottomLeft);
  docks_->add(caches, Place::BottomRight);
  docks_->add(mesh, Place::RightTop);
  docks_->add(why, Place::RightMiddle);
  docks_->add(notes, Place::RightBottom);
}

bool MainWindow::openPath(const QString& path) {
  if (!openDocument(path)) {
    return false;
  }
  following_.reset();
  addRecent(document_->path());
  return true;
}

bool MainWindow::openDocument(const QString& path) {
  auto opened = Document::open(path);
  if (!opened) {
    problem_ = QString::fromStdString(opened.error().message);
    messages_->say(MessageBar::Kind::Problem, problem_);
    return false;
  }
  closeDocument();
  document_ = std::move(*opened);
  connect(document_.get(), &Document::grew, this, &MainWindow::documentChanged);
  connect(document_.get(), &Document::stateChanged, this, &MainWindow::documentChanged);
  connect(document_.get(), &Document::failed, this, &MainWindow::documentFailed);
  connect(document_.get(), &Document::silent, this, [this] {
    offer(MessageBar::Kind::Note, tr("The engine has not answered for a while."),
          tr("Stop the engine"), [this] { actions_->stopEngine->trigger(); });
  });
  cursor_.setJournal(document_->journal(), document_->mayGrow()
                                               ? [this](EventId to) { document_->runTo(to); }
                                               : std::function<void(EventId)>());
  actions_->setOpen(true);
  middle_->setCurrentIndex(1);
  showDocks(true);
  steps_->setFocus();
  documentChanged();
  if (const QString folder = document_->folderOfAll(); !folder.isEmpty()) {
    offer(MessageBar::Kind::Note,
          tr("This is the recording of one process: the ranks of the others have no values here."),
          tr("Open all processes"), [this, folder] { openPath(folder); });
  }
  return true;
}

void MainWindow::offer(MessageBar::Kind kind, const QString& text, const QString& action,
                       std::function<void()> what) {
  offered_ = std::move(what);
  messages_->say(kind, text, action);
}

// The journal must outlive what the panels keep of it, so they let go of it first.
void MainWindow::closeDocument() {
  if (!document_) {
    return;
  }
  document_->disconnect(this);
  messages_->clear();
  problem_.clear();
  cursor_.clear();
  for (Panel* panel : panels_) {
    panel->setSnapshot(cursor_.journal(), cursor_.snapshot());
  }
  document_.reset();
  actions_->setOpen(false);
  top_->setTitle({}, {});
  setWindowTitle(QStringLiteral("Shardlens"));
  showDocks(false);
  middle_->setCurrentIndex(0);
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
  const Journal& journal = document_->journal();
  QStringList about;
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
  top_->setTitle(document_->title(), about.join(QStringLiteral("  ·  ")));
  setWindowTitle(document_->title() + QStringLiteral(" — Shardlens"));
  actions_->stopEngine->setEnabled(document_->engine() != nullptr && document_->mayGrow());
}

void MainWindow::documentFailed(const QString& message) {
  problem_ = message;
  messages_->say(MessageBar::Kind::Problem, message);
  documentChanged();
}

void MainWindow::redraw() {
  const Snapshot& snapshot = cursor_.snapshot();
  for (Panel* panel : panels_) {
    panel->setSnapshot(cursor_.journal(), snapshot);
  }
  actions_->start->setEnabled(document_ && cursor_.position() > 0);
  actions_->back->setEnabled(document_ && cursor_.position() > 0);
  for (QAction* action : {actions_->step, actions_->over, actions_->end}) {
    action->setEnabled(document_ && !cursor_.atEnd());
  }
  QString where = cursor_.mayGrow() && cursor_.position() == cursor_.size()
                      ? tr("step %1, live").arg(cursor_.position())
                      : tr("step %1 of %2").arg(cursor_.position()).arg(cursor_.size());
  if (cursor_.waits()) {
    where += QStringLiteral(" …");
  }
  top_->setPosition(where);
  Q_EMIT redrawn();
}

}  // namespace shardlens
