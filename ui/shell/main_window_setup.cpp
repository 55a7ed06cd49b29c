// The rest of MainWindow: menus, keys, files that are dropped, and what it remembers.
#include "ui/panels/program_panel.h"
#include "ui/panels/steps_panel.h"
#include "ui/shell/follow_dialog.h"
#include "ui/shell/legend.h"
#include "ui/shell/main_window.h"
#include "ui/shell/shortcuts.h"
#include "ui/shell/style.h"
#include "ui/shell/top_bar.h"
#include "ui/shell/welcome_page.h"

#include <QApplication>
#include <QCloseEvent>
#include <QDragEnterEvent>
#include <QDropEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QMenu>
#include <QMenuBar>
#include <QMimeData>
#include <QPointer>
#include <QSettings>
#include <QStackedWidget>
#include <utility>

namespace shardlens {
namespace {

constexpr int kLayoutVersion = 1;
constexpr int kMostRecent = 6;

QSettings settings() { return QSettings(QStringLiteral("Shardlens"), QStringLiteral("Shardlens")); }

QString droppedFile(const QMimeData& data) {
  const auto urls = data.urls();
  return urls.size() == 1 ? urls.front().toLocalFile() : QString();
}

}  // namespace

void MainWindow::makeMenus() {
  const Actions& act = *actions_;
  QMenuBar* menus = top_->menus();
  QMenu* file = menus->addMenu(tr("&File"));
  file->addActions({act.open, act.openFolder, act.follow});
  recent_ = file->addMenu(tr("Open &recent"));
  file->addAction(act.close);
  file->addSeparator();
  file->addAction(act.quit);
  QMenu* go = menus->addMenu(tr("&Go"));
  go->addActions({act.start, act.back, act.step, act.over, act.end});
  go->addSeparator();
  go->addAction(act.stopEngine);
  QMenu* view = menus->addMenu(tr("&View"));
  for (QDockWidget* dock : docks_->docks()) {
    view->addAction(dock->toggleViewAction());
  }
  view->addSeparator();
  view->addActions({act.dark, act.resetLayout});
  QMenu* help = menus->addMenu(tr("&Help"));
  help->addActions({act.legend, act.shortcuts});

  using Standing = TopBar::Standing;
  for (QAction* action : {act.start, act.back, act.step, act.over, act.end}) {
    top_->addMove(action, action == act.step ? Standing::Main : Standing::Usual);
  }
  top_->addRight(act.legend);
  top_->addRight(act.shortcuts);
  top_->setTitle({}, {});
}

void MainWindow::connectActions() {
  const Actions& act = *actions_;
  connect(act.open, &QAction::triggered, this, &MainWindow::askForFile);
  connect(act.openFolder, &QAction::triggered, this, &MainWindow::askForFolder);
  connect(act.follow, &QAction::triggered, this, &MainWindow::askForRun);
  connect(act.close, &QAction::triggered, this, [this] {
    closeDocument();
    following_.reset();
  });
  connect(act.quit, &QAction::triggered, this, &QWidget::close);
  connect(act.start, &QAction::triggered, &cursor_, &Cursor::toStart);
  connect(act.back, &QAction::triggered, &cursor_, &Cursor::back);
  connect(act.step, &QAction::triggered, &cursor_, &Cursor::step);
  connect(act.over, &QAction::triggered, &cursor_, &Cursor::over);
  connect(act.end, &QAction::triggered, &cursor_, &Cursor::toEnd);
  const auto stop = [this] {
    if (document_ && document_->engine() != nullptr) {
      document_->engine()->stop();
    }
  };
  connect(act.stopEngine, &QAction::triggered, this, stop);
  connect(messages_, &MessageBar::actionWanted, this, [this] {
    if (const auto what = std::exchange(offered_, nullptr)) {
      what();
    }
  });
  connect(act.dark, &QAction::toggled, this, &MainWindow::setDark);
  connect(act.resetLayout, &QAction::triggered, this, &MainWindow::resetLayout);
  connect(act.legend, &QAction::triggered, this, [this] {
    static QPointer<Legend> legend;
    if (!legend) {
      legend = new Legend(this);
    }
    legend->show();
    legend->raise();
  });
  connect(act.shortcuts, &QAction::triggered, this, [this] {
    auto* sheet = new ShortcutSheet(actions_->all(), this);
    sheet->setAttribute(Qt::WA_DeleteOnClose);
    sheet->show();
  });
  connect(steps_, &StepsPanel::positionWanted, &cursor_, &Cursor::moveTo);
  connect(program_, &ProgramPanel::stepWanted, this, &MainWindow::goToProgramStep);
  connect(welcome_, &WelcomePage::openWanted, this, &MainWindow::askForFile);
  connect(welcome_, &WelcomePage::pathWanted, this, &MainWindow::openPath);
}

void MainWindow::askForFile() {
  const QString path = QFileDialog::getOpenFileName(
      this, tr("Open"), {}, tr("Scenarios and recordings (*.json *.shardlens);;All files (*)"));
  if (!path.isEmpty()) {
    openPath(path);
  }
}

void MainWindow::askForFolder() {
  const QString path =
      QFileDialog::getExistingDirectory(this, tr("Open the recordings of a run's processes"));
  if (!path.isEmpty()) {
    openPath(path);
  }
}

// What is open stays until something has come of the run.
void MainWindow::askForRun() {
  auto* dialog = new FollowDialog(this);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  connect(dialog, &FollowDialog::wanted, this,
          [this, dialog](const QString& where, const QString& token) {
            auto* client = new FollowClient(dialog);
            connect(client, &FollowClient::failed, dialog,
                    [client, dialog](const QString& message) {
                      dialog->say(message);
                      client->deleteLater();
                    });
            connect(client, &FollowClient::ended, dialog, [client, dialog] {
              dialog->say(tr("The run has ended, and there was no recording."));
              client->deleteLater();
            });
            connect(client, &FollowClient::arrived, dialog, [this, client, dialog] {
              client->disconnect(dialog);
              client->setParent(nullptr);
              openFollowed(std::unique_ptr<FollowClient>(client));
              dialog->accept();
            });
            client->start(where, token);
          });
  dialog->open();
}

void MainWindow::openFollowed(std::unique_ptr<FollowClient> client) {
  if (!openDocument(client->folder())) {
    client.release()->deleteLater();  // it is the one who called
    return;
  }
  following_ = std::move(client);
  connect(following_.get(), &FollowClient::lost, this, [this] {
    messages_->say(MessageBar::Kind::Note, tr("The connection is gone. Trying again…"));
  });
  connect(following_.get(), &FollowClient::found, messages_, &MessageBar::clear);
  connect(following_.get(), &FollowClient::ended, this,
          [this] { messages_->say(MessageBar::Kind::Note, tr("The run has ended.")); });
  connect(following_.get(), &FollowClient::failed, this, &MainWindow::documentFailed);
}

// The end of a step of the program, as far as it has come.
void MainWindow::goToProgramStep(int step) {
  const Journal& journal = cursor_.journal();
  EventId last = 0;
  for (EventId id = 1; id <= journal.size() && journal.at(id).step <= step; ++id) {
    last = id;
  }
  cursor_.moveTo(last);
}

void MainWindow::showDocks(bool visible) {
  docks_->setVisible(visible);
  if (visible && isVisible()) {
    placeDocks();
  }
}

// Once, when they are first seen: as they were left, else as they belong.
void MainWindow::placeDocks() {
  if (std::exchange(placed_, true)) {
    return;
  }
  docks_->reset();
  if (memory_ == Memory::Keeps) {
    area_->restoreState(settings().value(QStringLiteral("layout")).toByteArray(), kLayoutVersion);
  }
}

void MainWindow::resetLayout() {
  if (document_) {
    docks_->reset();
  }
}

void MainWindow::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  if (document_) {
    placeDocks();
  }
}

void MainWindow::setDark(bool dark) {
  if (actions_->dark->isChecked() != dark) {
    actions_->dark->setChecked(dark);
    return;
  }
  applyLook(*qApp, dark ? Look::Dark : Look::Light);
  cursor_.journalGrew();
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
  if (!droppedFile(*event->mimeData()).isEmpty()) {
    event->acceptProposedAction();
  }
}

void MainWindow::dropEvent(QDropEvent* event) {
  event->acceptProposedAction();
  openPath(droppedFile(*event->mimeData()));
}

void MainWindow::closeEvent(QCloseEvent* event) {
  remember();
  closeDocument();
  event->accept();
}

void MainWindow::remember() {
  if (memory_ == Memory::Keeps) {
    QSettings store = settings();
    store.setValue(QStringLiteral("geometry"), saveGeometry());
    if (document_) {
      store.setValue(QStringLiteral("layout"), area_->saveState(kLayoutVersion));
    }
    store.setValue(QStringLiteral("dark"), actions_->dark->isChecked());
  }
}

void MainWindow::recall() {
  resize(1440, 900);
  if (memory_ == Memory::Forgets) {
    return;
  }
  const QSettings store = settings();
  restoreGeometry(store.value(QStringLiteral("geometry")).toByteArray());
  setDark(store.value(QStringLiteral("dark")).toBool());
  addRecent({});
}

void MainWindow::addRecent(const QString& path) {
  if (memory_ == Memory::Forgets) {
    return;
  }
  QSettings store = settings();
  QStringList paths = store.value(QStringLiteral("recent")).toStringList();
  if (!path.isEmpty()) {
    paths.removeAll(path);
    paths.prepend(path);
    paths = paths.mid(0, kMostRecent);
    store.setValue(QStringLiteral("recent"), paths);
  }
  recent_->clear();
  for (const QString& each : paths) {
    connect(recent_->addAction(QFileInfo(each).fileName()), &QAction::triggered, this,
            [this, each] { openPath(each); });
  }
  recent_->setEnabled(!paths.isEmpty());
  welcome_->setRecent(paths);
}

}  // namespace shardlens
