#pragma once

#include "tests/ui/support/window.h"

#include <QtTest/QTest>
#include <gtest/gtest.h>

#include <QMenu>
#include <QMenuBar>
#include <QSignalSpy>

namespace shardlens {

// Clicks an entry of an open menu.
inline void clickInMenu(QMenu& menu, QAction& entry) {
  QTest::mouseClick(&menu, Qt::LeftButton, {}, menu.actionGeometry(&entry).center());
}

// Opens the menu with this text by the mouse: in the menu bar, or in the menu of the one button
// that replaces the bar of a narrow window. Fails the test, and returns null, if it does not open.
inline QMenu* openMenu(Window& on, const QString& text) {
  auto* bar = on.window.findChild<QMenuBar*>();
  for (QAction* named : bar->actions()) {
    if (named->text() != text) continue;
    if (bar->isVisible()) {
      QTest::mouseClick(bar, Qt::LeftButton, {}, bar->actionGeometry(named).center());
    } else {
      on.click("menuButton");
      clickInMenu(*on.find<QMenu>("allMenus"), *named);
    }
    QMenu* menu = named->menu();
    if (QTest::qWaitFor([menu] { return menu->isVisible(); })) return menu;
  }
  ADD_FAILURE() << "the menu " << text.toStdString() << " does not open";
  return nullptr;
}

}  // namespace shardlens
