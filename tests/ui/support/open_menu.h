#pragma once

#include "tests/ui/support/window.h"

#include <QtTest/QTest>
#include <gtest/gtest.h>

#include <QMenu>
#include <QMenuBar>
#include <QSignalSpy>

namespace shardlens {

// Clicks an entry of an open menu, or of one of its submenus.
inline void clickInMenu(QMenu& menu, QAction& entry) {
  for (QAction* each : menu.actions()) {
    QMenu* inside = each->menu();
    if (inside == nullptr || !inside->actions().contains(&entry)) continue;
    QTest::mouseClick(&menu, Qt::LeftButton, {}, menu.actionGeometry(each).center());
    EXPECT_TRUE(QTest::qWaitFor([inside] { return inside->isVisible(); }));
    return clickInMenu(*inside, entry);
  }
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
