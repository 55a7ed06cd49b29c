#pragma once

#include <QByteArray>
#include <QObject>
#include <QPointer>
#include <QWidget>

namespace shardlens {

class DockLayout;
class MainWindow;
class TopBar;

// The presentation mode of a window: full screen and large type, with the shards and their numbers,
// the panel that has the focus, and the notes below. The top bar shrinks to a thin line. Continues
// with the next document if another one is opened. Ending it restores the layout, the zoom, the
// window state and the focus.
class Presentation final : public QObject {
  Q_OBJECT

 public:
  // Owned by `window`. The other two must outlive this object.
  Presentation(MainWindow& window, DockLayout& docks, TopBar& top);

  void setOn(bool on);  // does nothing if that is the present state
  bool isOn() const { return on_; }
  void restoreFocus();  // to the widget that had it at the start, if that still exists

 Q_SIGNALS:
  void changed(bool on);

 private:
  void begin();
  void end();

  MainWindow& window_;
  DockLayout& docks_;
  TopBar& top_;
  bool on_ = false;
  // State to restore.
  QByteArray layout_;
  double zoom_ = 1;
  Qt::WindowStates state_;
  QPointer<QWidget> focus_;
};

}  // namespace shardlens
