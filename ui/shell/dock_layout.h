#pragma once

#include <QDockWidget>
#include <QMainWindow>
#include <map>
#include <vector>

namespace shardlens {

class Panel;

// The docks of the window: each panel but the one in the middle has one, with the panel's header
// as its title bar. reset() puts them where they belong, for the size that the window has: the
// smaller it is, the more of them share a place as tabs. When the window changes its size, each
// dock keeps its share of it, also after it was too small for that.
class DockLayout final : public QObject {
  Q_OBJECT

 public:
  explicit DockLayout(QMainWindow& window);

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
  void reset();

  // Places, sizes, and the size of the window that they belong to.
  QByteArray save() const;
  void restore(const QByteArray& saved);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  QDockWidget* at(Place place) const;
  void tabify(Place front, std::initializer_list<Place> behind);
  void remember();
  void scale();

  QMainWindow& window_;
  std::vector<QDockWidget*> docks_;
  std::vector<Place> places_;
  QSize whole_;                     // the window's size to which these belong
  std::map<QString, QSize> sizes_;  // of those that are seen
  bool arranging_ = true;           // until a person does
};

}  // namespace shardlens
