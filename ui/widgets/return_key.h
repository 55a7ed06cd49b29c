#pragma once

#include <QAbstractButton>
#include <QApplication>
#include <QKeyEvent>

namespace shardlens {

// Return presses the button that has the keyboard, as Space does; Qt has that in dialogs alone. For
// the windows to which a key comes that nothing in them took.
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
