#pragma once

#include <QString>
#include <vector>

class QWidget;

namespace shardlens {

class Panel;

// Where a panel stands until somebody moves it. Panels of one place share it as tabs; in the middle
// there is one.
enum class Place {
  Middle,
  LeftTop,
  LeftBottom,
  BottomLeft,
  BottomRight,
  BottomWide,  // under both
  RightTop,
  RightMiddle,
  RightBottom
};

struct PanelEntry {
  const char* id;  // its object name, by which a saved layout knows it
  QString title;
  QString help;  // what it shows
  Place place;
  Panel* (*make)(QWidget* parent);
};

// Every panel of the window, in the order of the View menu and of the Tab key.
const std::vector<PanelEntry>& panelCatalogue();

// What a panel is called on the command line: its id without the word that all have.
QString shortNameOf(const PanelEntry& entry);

// A new panel with the names that its entry gives it. A style sheet is worked out for all that is
// inside it whenever it gets another parent.
Panel* makePanel(const PanelEntry& entry, QWidget* parent = nullptr);

}  // namespace shardlens
