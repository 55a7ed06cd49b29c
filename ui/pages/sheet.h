#pragma once

#include <QWidget>

namespace shardlens {

// A tool window beside the main window, whose shortcuts keep working while it is active. Escape
// closes it.
class Sheet : public QWidget {
  Q_OBJECT

 public:
  // `window` owns the sheet and must not be null. The sheet is hidden at first.
  Sheet(const QString& name, const QString& title, QWidget* window);
  // Hides the sheet if it is visible; otherwise shows it at the right of the window and activates
  // it.
  void toggle();

 protected:
  void keyPressEvent(QKeyEvent* event) override;
};

}  // namespace shardlens
