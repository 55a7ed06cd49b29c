// The rest of MainWindow: menus, keys, and what it remembers of its looks.
#include "ui/shell/legend.h"
#include "ui/shell/main_window.h"
#include "ui/shell/settings.h"
#include "ui/shell/shortcuts.h"
#include "ui/shell/style.h"
#include "ui/shell/top_bar.h"
#include "ui/shell/welcome_page.h"

#include <QApplication>
#include <QCloseEvent>
#include <QMenu>
#include <QMenuBar>
#include <QStackedWidget>
#include <utility>

namespace shardlens {

void MainWindow::makeMenus() {
  const Actions& act = *actions_;
  QMenuBar* menus = top_->menus();
  QMenu* file = menus->addMenu(tr("&File"));
  file->addActions({act.open, act.openFolder, act.follow});
  recent_ = file->addMenu(tr("Open &recent"));
  file->addSeparator();
  file->addActions({act.save, act.runAgain, act.close});
  file->addSeparator();
  file->addAction(act.quit);
  QMenu* go = menus->addMenu(tr("&Go"));
  go->addActions({act.start, act.backOver, act.back, act.step, act.over, act.out, act.end});
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
  connect(act.out, &QAction::triggered, &cursor_, &Cursor::out);
  connect(act.backOver, &QAction::triggered, &cursor_, &Cursor::backOver);
  connect(act.end, &QAction::triggered, &cursor_, &Cursor::toEnd);
  connect(act.stopEngine, &QAction::triggered, this, [this] {
    if (EngineClient* engine = runningEngine()) {
      engine->stop();
    }
  });
  connect(act.save, &QAction::triggered, this, &MainWindow::askWhereToSave);
  connect(act.runAgain, &QAction::triggered, this, [this] { openPath(document_->path()); });
  connect(act.dark, &QAction::toggled, this, &MainWindow::setDark);
  connect(act.resetLayout, &QAction::triggered, this, &MainWindow::resetLayout);
  legend_ = new Legend(this);
  shortcuts_ = new ShortcutSheet(actions_->all(), this);
  connect(act.legend, &QAction::triggered, legend_, &Sheet::toggle);
  connect(act.shortcuts, &QAction::triggered, shortcuts_, &Sheet::toggle);
  connect(welcome_, &WelcomePage::openWanted, this, &MainWindow::askForFile);
  connect(welcome_, &WelcomePage::pathWanted, this,
          [this](const QString& path) { openPath(path); });
}

// Once, when they are first seen: as they were left, else as they belong.
void MainWindow::placeDocks() {
  if (std::exchange(placed_, true)) {
    return;
  }
  docks_->reset();
  if (memory_ == Memory::Keeps) {
    docks_->restore(settings().value(QStringLiteral("docks")).toByteArray());
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
  redraw();
}

void MainWindow::closeEvent(QCloseEvent* event) {
  remember();
  opening_.reset();
  following_.reset();
  closeDocument();
  event->accept();
}

void MainWindow::remember() {
  if (memory_ == Memory::Keeps) {
    QSettings store = settings();
    store.setValue(QStringLiteral("geometry"), saveGeometry());
    if (placed_) {
      store.setValue(QStringLiteral("docks"), docks_->save());
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

}  // namespace shardlens
