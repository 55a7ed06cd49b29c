#pragma once

#include <QWidget>

class QScrollArea;
class QVBoxLayout;

namespace shardlens {

// A tool window beside the main window, whose shortcuts keep working while it is active. Escape
// closes it. Its content scrolls if the sheet is smaller than the minimum size of the content, so
// that each sheet fits any screen at any zoom.
class Sheet : public QWidget {
  Q_OBJECT

 public:
  // `window` owns the sheet and must not be null. The sheet is hidden at first.
  Sheet(const QString& name, const QString& title, QWidget* window);
  // Hides the sheet if it is visible; otherwise shows it at the right of the window, within the
  // screen, and activates it.
  void toggle();
  // Returns the usual size, or that of the content if it is larger.
  QSize sizeHint() const final;

 protected:
  // Sets the size at which the sheet opens if the screen is large enough, before zooming.
  void setUsualSize(QSize size) { usual_ = size; }
  QVBoxLayout& content() { return *content_; }
  QScrollArea& scrolling() { return *scrolling_; }
  void keyPressEvent(QKeyEvent* event) override;

 private:
  QSize usual_{0, 0};
  QScrollArea* scrolling_;
  QVBoxLayout* content_;  // layout of the widget that scrolls
};

}  // namespace shardlens
