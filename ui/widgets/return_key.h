#pragma once

#include <QAbstractButton>
#include <QApplication>
#include <QKeyEvent>

namespace shardlens {

// Presses the focused button if the key is Return or Enter, and returns true if it did. Qt does
// this only in dialogs. Called by windows for keys that none of their widgets accepted.
inline bool pressedFocusedButton(const QKeyEvent& event) {
  auto* button = qobject_cast<QAbstractButton*>(QApplication::focusWidget());
  const bool isReturn = event.key() == Qt::Key_Return || event.key() == Qt::Key_Enter;
  if (button == nullptr || !isReturn) {
    return false;
  }
  button->click();
  return true;
}

}  // namespace shardlens
