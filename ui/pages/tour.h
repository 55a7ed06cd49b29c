#pragma once

#include <QPointer>
#include <QWidget>

class QLabel;
class QPushButton;

namespace shardlens {

// What the parts of the window are for, one after another: the rest is dimmed, and a card beside
// the part says it. Return goes on, Escape ends it.
class Tour final : public QWidget {
  Q_OBJECT

 public:
  explicit Tour(QWidget* window);
  void begin();

 protected:
  void paintEvent(QPaintEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  bool focusNextPrevChild(bool next) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void show(int stop);  // behind the last it ends
  void finish();
  void place();

  QWidget* card_;
  QLabel* title_;
  QLabel* text_;
  QPushButton* end_;
  QPushButton* back_;
  QPushButton* next_;
  int stop_ = 0;
  QRect part_;               // that the card is beside; empty where it cannot be seen
  QPointer<QWidget> focus_;  // had the keyboard before
};

}  // namespace shardlens
