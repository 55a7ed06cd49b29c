#pragma once

#include <QWidget>

class QDockWidget;

namespace shardlens {

// The buttons at the right of a dock's title bar: one floats it or docks it again, one closes it.
class DockButtons final : public QWidget {
  Q_OBJECT

 public:
  explicit DockButtons(QDockWidget* dock);
};

}  // namespace shardlens
