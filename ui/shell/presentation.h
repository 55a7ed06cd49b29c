#pragma once

#include <QByteArray>
#include <QObject>
#include <QPointer>
#include <QWidget>

namespace shardlens {

class DockLayout;
class MainWindow;
class TopBar;

// The window in front of a class: on the whole screen and in large type the shards, the panel that
// has the keyboard, and under them the notes. Of the top bar a thin line stays. When it is over,
// everything is as it was.
class Presentation final : public QObject {
  Q_OBJECT

 public:
  Presentation(MainWindow& window, DockLayout& docks, TopBar& top);

  void setOn(bool on);
  bool isOn() const { return on_; }

 Q_SIGNALS:
  void changed(bool on);

 private:
  void begin();
  void end();

  MainWindow& window_;
  DockLayout& docks_;
  TopBar& top_;
  bool on_ = false;
  // As they were before.
  QByteArray layout_;
  double zoom_ = 1;
  Qt::WindowStates state_;
  QPointer<QWidget> focus_;
};

}  // namespace shardlens
