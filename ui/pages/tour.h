#pragma once

#include <QPointer>
#include <QWidget>

class QLabel;
class QPushButton;

namespace shardlens {

// A tour of the window: dims all but one part at a time and explains it on a card beside it. Return
// shows the next part, Escape ends the tour.
class Tour final : public QWidget {
  Q_OBJECT

 public:
  explicit Tour(QWidget* window);  // `window` owns the tour and must not be null
  void begin();                    // shows the first part
  void finish();                   // ends the tour, if it is shown, and restores the focus

 protected:
  void paintEvent(QPaintEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  bool focusNextPrevChild(bool next) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void show(int stop);  // ends the tour after the last stop
  void place();

  QWidget* card_;
  QLabel* title_;
  QLabel* text_;
  QPushButton* end_;
  QPushButton* back_;
  QPushButton* next_;
  int stop_ = 0;
  QRect part_;               // the part that the card explains; empty if hidden
  QPointer<QWidget> focus_;  // had the keyboard focus before the tour
};

}  // namespace shardlens
