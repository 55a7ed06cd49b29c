#pragma once

#include "ui/panels/panel_catalogue.h"

#include <QDockWidget>
#include <QMainWindow>
#include <map>
#include <utility>
#include <vector>

namespace shardlens {

// The docks of the window: each panel but the one in the middle has one, with the panel's header
// as its title bar. reset() puts them where they belong, for the size that the window has: the
// smaller it is, the more places share their room as tabs. When the window changes its size, each
// dock keeps its share of it, also after it was too small for that.
class DockLayout final : public QObject {
  Q_OBJECT

 public:
  explicit DockLayout(QMainWindow& window);

  // The panel, made where its entry says.
  Panel* add(const PanelEntry& entry) { return add(entry, entry.place); }
  Panel* add(const PanelEntry& entry, Place place);
  std::vector<QDockWidget*> docks() const;
  void reset();
  // Shows the panel's dock in front of those that share its place.
  void bringUp(const Panel& panel);
  // None but these, the one at the right and the other under what is in the middle; either may be
  // null.
  void showOnly(QDockWidget* right, QDockWidget* bottom);

  // Places, sizes, and the size of the window that they belong to.
  QByteArray save() const;
  void restore(const QByteArray& saved);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  using Shares = std::initializer_list<std::pair<Place, int>>;

  Panel* addMiddle(const PanelEntry& entry);
  Panel* addDock(const PanelEntry& entry, Place place);
  QDockWidget* front(Place place) const;
  void putBack(QDockWidget* dock, Place place);
  void stack(std::initializer_list<Place> places);
  void resize(Shares pixels, Qt::Orientation orientation);
  void remember();
  void scale();

  QMainWindow& window_;
  std::vector<std::pair<QDockWidget*, Place>> docks_;
  QSize whole_;                     // the window's size to which these belong
  std::map<QString, QSize> sizes_;  // of those that are seen
  bool arranging_ = true;           // until a person does
};

}  // namespace shardlens
