#pragma once

#include <QWidget>

class QDockWidget;

namespace shardlens {

// The buttons at the right of a dock's title bar: one floats it or docks it again, one closes it.
class DockButtons final : public QWidget {
  Q_OBJECT

 public:
  // Uses the present title of the dock. The buttons have no parent yet; the dock must outlive them.
  explicit DockButtons(QDockWidget* dock);
};

}  // namespace shardlens
