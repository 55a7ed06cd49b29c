#pragma once

#include "ui/panels/panel_catalogue.h"

#include <QDockWidget>
#include <QMainWindow>
#include <map>
#include <utility>
#include <vector>

namespace shardlens {

// The docks of the window. Every panel except the middle one has a dock, with the panel's header as
// its title bar. reset() arranges them for the size of the window: in a smaller window, more places
// share one dock area as tabs. If the window is resized, each dock keeps its share, even after the
// window was too small for it.
class DockLayout final : public QObject {
  Q_OBJECT

 public:
  explicit DockLayout(QMainWindow& window);

  // Creates the panel of the entry at its default place, or at `place`.
  Panel* add(const PanelEntry& entry) { return add(entry, entry.place); }
  Panel* add(const PanelEntry& entry, Place place);
  std::vector<QDockWidget*> docks() const;
  void reset();  // default arrangement for the present size
  // Shows the panel's dock and raises it above those it is tabbed with.
  void bringUp(const Panel& panel);
  // Hides all docks except these: `right` is placed at the right, `bottom` below the middle. Either
  // may be null.
  void showOnly(QDockWidget* right, QDockWidget* bottom);

  // The arrangement, the sizes of the docks, and the size of the window that they belong to.
  // restore() ignores data that it cannot read.
  QByteArray save() const;
  void restore(const QByteArray& saved);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  using Shares = std::initializer_list<std::pair<Place, int>>;

  Panel* addMiddle(const PanelEntry& entry);
  Panel* addDock(const PanelEntry& entry, Place place);
  QDockWidget* front(Place place) const;
  void restore(QDockWidget* dock, Place place);
  void stack(std::initializer_list<Place> places);
  void resize(Shares pixels, Qt::Orientation orientation);
  void remember();
  void scale();

  QMainWindow& window_;
  std::vector<std::pair<QDockWidget*, Place>> docks_;
  QSize whole_;                     // size of the window that sizes_ belongs to
  std::map<QString, QSize> sizes_;  // of the visible docks, by object name
  bool arranging_ = true;           // true while the program, not the user, moves docks
};

}  // namespace shardlens
