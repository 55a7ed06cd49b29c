#pragma once

#include <QDockWidget>
#include <QMainWindow>
#include <vector>

namespace shardlens {

class Panel;

// The docks of the window: each panel but the one in the middle has one, with the panel's header
// as its title bar. reset() puts them where they belong, in proportion to the window.
class DockLayout {
 public:
  explicit DockLayout(QMainWindow& window) : window_(window) {}

  enum class Place {
    LeftTop,
    LeftBottom,
    BottomLeft,
    BottomRight,
    RightTop,
    RightMiddle,
    RightBottom
  };
  QDockWidget* add(Panel* panel, Place place);
  const std::vector<QDockWidget*>& docks() const { return docks_; }
  void setVisible(bool visible);
  void reset();

 private:
  void place(QDockWidget* dock, Place place);

  QMainWindow& window_;
  std::vector<QDockWidget*> docks_;
  std::vector<Place> places_;
  std::vector<QDockWidget*> hidden_;  // by setVisible
};

}  // namespace shardlens
