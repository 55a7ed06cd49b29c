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
  QMenuBar* menus = top_->menus();
  QMenu* file = menus->addMenu(tr("&File"));
  commands_->fillMenu(*file, CommandMenu::File);
  recent_ = new QMenu(tr("Open &recent"), this);
  const auto actions = file->actions();
  const auto opening = actions.indexOf(&commands_->action("follow"));
  file->insertMenu(actions[opening + 1], recent_);
  commands_->fillMenu(*menus->addMenu(tr("&Go")), CommandMenu::Go);
  QMenu* view = menus->addMenu(tr("&View"));
  for (QDockWidget* dock : docks_->docks()) {
    view->addAction(dock->toggleViewAction());
  }
  view->addSeparator();
  commands_->fillMenu(*view, CommandMenu::View);
  commands_->fillMenu(*menus->addMenu(tr("&Help")), CommandMenu::Help);
  commands_->addButtons(*top_);
  top_->setTitle({}, {});
}

Commands::Handlers MainWindow::handlers() {
  return {
      {"start", [this] { cursor_.toStart(); }},
      {"back", [this] { cursor_.back(); }},
      {"backOver", [this] { cursor_.backOver(); }},
      {"step", [this] { cursor_.step(); }},
      {"over", [this] { cursor_.over(); }},
      {"out", [this] { cursor_.out(); }},
      {"end", [this] { cursor_.toEnd(); }},
      {"stopEngine", [this] { stopEngine(); }},
      {"open", [this] { askForFile(); }},
      {"openFolder", [this] { askForFolder(); }},
      {"follow", [this] { askForRun(); }},
      {"save", [this] { askWhereToSave(); }},
      {"runAgain", [this] { openPath(document_->path()); }},
      {"close",
       [this] {
         closeDocument();
         following_.reset();
       }},
      {"quit", [this] { close(); }},
      {"dark", [this] { setDark(isDark()); }},
      {"resetLayout", [this] { resetLayout(); }},
      {"legend", [this] { legend_->toggle(); }},
      {"shortcuts", [this] { shortcuts_->toggle(); }},
  };
}

void MainWindow::stopEngine() {
  if (EngineClient* engine = runningEngine()) {
    engine->stop();
  }
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
  commands_->action("dark").setChecked(dark);
  applyLook(*qApp, dark ? Look::Dark : Look::Light);
  redraw();
}

bool MainWindow::isDark() const { return commands_->action("dark").isChecked(); }

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
    store.setValue(QStringLiteral("dark"), isDark());
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
