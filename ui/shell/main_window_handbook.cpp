// Part of MainWindow: the handbook.
#include "ui/pages/handbook_window.h"
#include "ui/panels/panel.h"
#include "ui/shell/main_window.h"

#include <QAction>
#include <QApplication>

namespace shardlens {
namespace {

// Returns the title of the panel that contains the widget; empty if none does.
QString panelTitleOf(const QWidget* widget) {
  while (widget != nullptr) {
    if (const auto* panel = qobject_cast<const Panel*>(widget)) {
      return panel->title();
    }
    widget = widget->parentWidget();
  }
  return {};
}

}  // namespace

// Opens the page about the window at the section of the panel with the keyboard focus.
void MainWindow::openHandbook() {
  const QString panel = panelTitleOf(QApplication::focusWidget());
  if (handbook_ == nullptr) {
    handbook_ = new HandbookWindow(handbookRoot(), this);
    connect(handbook_, &HandbookWindow::commandRequested, this, [this](const QString& id) {
      if (auto* action = findChild<QAction*>(id, Qt::FindDirectChildrenOnly)) {
        activateWindow();
        action->trigger();
      }
    });
    connect(handbook_, &HandbookWindow::scenarioRequested, this, [this](const QString& path) {
      activateWindow();
      openPath(path);
    });
  }
  handbook_->show();  // first, because the place of a section depends on the width of the page
  handbook_->raise();
  handbook_->activateWindow();
  if (!panel.isEmpty()) {
    handbook_->openPage(QStringLiteral("window"), panel);
  }
}

}  // namespace shardlens
