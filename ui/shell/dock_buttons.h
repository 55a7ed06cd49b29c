#pragma once

#include <QWidget>

class QDockWidget;

namespace shardlens {

// The two buttons at the right of a dock's title bar: float it (or put it back), and close it.
class DockButtons final : public QWidget {
  Q_OBJECT

 public:
  explicit DockButtons(QDockWidget* dock);
};

}  // namespace shardlens
