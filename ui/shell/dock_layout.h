#pragma once

#include "ui/models/run_content.h"
#include "ui/panels/panel_catalogue.h"

#include <QDockWidget>
#include <QMainWindow>
#include <map>
#include <utility>
#include <vector>

namespace shardlens {

// The docks of the window. Every panel except the middle one has a dock, with the panel's header as
// its title bar. reset() arranges them for the perspective, the content of the recording and the
// size of the window: in a smaller window, more places share one dock area as tabs. This default
// adapts when the window is resized. After the user has moved a dock or a separator, each dock
// keeps its share instead, even after the window was too small for it.
class DockLayout final : public QObject {
  Q_OBJECT

 public:
  // Does not own the window, which must outlive this object.
  explicit DockLayout(QMainWindow& window);

  Panel* add(const PanelEntry& entry);  // creates the panel of the entry; the window owns it
  const std::vector<QDockWidget*>& docks() const { return docks_; }
  // Arranges the panels for this content, unless the user has changed the arrangement. Panels
  // without content become tabs behind others, whose tooltip states the reason.
  void arrangeFor(const RunContent& content);
  void setPerspective(Perspective perspective);  // also if the user has changed the arrangement
  Perspective perspective() const { return content_.perspective; }
  void reset();  // default arrangement for the present size, perspective and content
  // Shows the panel's dock and raises it above those it is tabbed with. Shows the middle panel if
  // it is hidden because it is empty.
  void bringUp(const Panel& panel);
  // Hides all docks except these: `right` is placed at the right, `bottom` below the middle, with
  // this height as far as the middle keeps half of the window. Either may be null.
  void showOnly(QDockWidget* right, QDockWidget* bottom, int height);

  // The arrangement, the sizes of the docks, and the size of the window that they belong to; for a
  // default arrangement, restore() makes the one of the present size. Ignores data that it cannot
  // read, and data of another version of the format.
  QByteArray save() const;
  void restore(const QByteArray& saved);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  // How many columns of docks fit.
  enum class Breadth { Slim, Narrow, Medium, Wide };

  using Shares = std::initializer_list<std::pair<Place, int>>;

  Panel* addMiddle(const PanelEntry& entry);
  Panel* addDock(const PanelEntry& entry);
  QDockWidget* dockOf(const QString& panel) const;
  std::vector<std::pair<QDockWidget*, Place>> arrangement() const;
  QDockWidget* front(Place place) const;
  void restore(QDockWidget* dock, Place place);
  void stack(std::initializer_list<Place> places);
  void resize(Shares pixels, Qt::Orientation orientation);
  Breadth breadth() const;
  void remember();
  void learn();
  void fit();
  void scale();
  void tidyBars() const;

  QMainWindow& window_;
  std::vector<QDockWidget*> docks_;                    // in the order of the catalogue
  std::vector<std::pair<QDockWidget*, Place>> order_;  // by place; of one place, the first is front
  RunContent content_;
  QSize whole_;                     // size of the window that sizes_ belongs to
  std::map<QString, QSize> sizes_;  // of the visible docks, by object name
  bool isDefault_ = true;           // the user has not changed the arrangement
  Breadth made_ = Breadth::Wide;    // that reset() was made for
  bool arranging_ = true;           // true while the program, not the user, moves docks
};

}  // namespace shardlens
