#pragma once

#include <QString>
#include <vector>

class QWidget;

namespace shardlens {

class Panel;

// The default position of a panel's dock. Panels with one place are tabs of it; Middle has a single
// panel.
enum class Place {
  Middle,
  LeftTop,
  LeftBottom,
  BottomLeft,
  BottomRight,
  BottomWide,  // below BottomLeft and BottomRight
  RightTop,
  RightMiddle,
  RightBottom
};

// The description of a panel.
struct PanelEntry {
  const char* id;  // object name; saved layouts refer to it
  QString title;
  QString help;  // what the panel shows
  Place place;   // in Perspective::Step; see DockLayout for the others
  Panel* (*make)(QWidget* parent);
};

// Returns the entries of all panels, in the order of the View menu and of the Tab key.
const std::vector<PanelEntry>& panelCatalogue();

// Returns the panel's name on the command line: its id without "Panel".
QString shortNameOf(const PanelEntry& entry);

// Creates the panel of the entry, with its object name, title and description. The parent owns it;
// without one, the caller does. Pass the final parent, because setting another one re-evaluates the
// style sheet of all child widgets.
Panel* makePanel(const PanelEntry& entry, QWidget* parent = nullptr);

}  // namespace shardlens
