#include "ui/shell/dock_layout.h"

#include "ui/panels/panel.h"

#include <algorithm>

namespace shardlens {

QDockWidget* DockLayout::add(Panel* panel, Place where) {
  auto* dock = new QDockWidget(panel->title(), &window_);
  dock->setObjectName(panel->objectName() + QStringLiteral("Dock"));
  dock->setAccessibleName(panel->title());
  dock->setTitleBarWidget(panel->header());
  dock->setWidget(panel);
  docks_.push_back(dock);
  places_.push_back(where);
  place(dock, where);
  return dock;
}

void DockLayout::place(QDockWidget* dock, Place where) {
  const bool left = where == Place::LeftTop || where == Place::LeftBottom;
  const bool bottom = where == Place::BottomLeft || where == Place::BottomRight;
  const auto area = left     ? Qt::LeftDockWidgetArea
                    : bottom ? Qt::BottomDockWidgetArea
                             : Qt::RightDockWidgetArea;
  window_.addDockWidget(area, dock, bottom ? Qt::Horizontal : Qt::Vertical);
}

// Remembers which ones a person had hidden.
void DockLayout::setVisible(bool visible) {
  if (visible) {
    for (QDockWidget* dock : hidden_) {
      dock->show();
    }
    hidden_.clear();
    return;
  }
  for (QDockWidget* dock : docks_) {
    if (!dock->isHidden()) {
      hidden_.push_back(dock);
      dock->hide();
    }
  }
}

void DockLayout::reset() {
  for (std::size_t i = 0; i < docks_.size(); ++i) {
    docks_[i]->setFloating(false);
    window_.removeDockWidget(docks_[i]);
    place(docks_[i], places_[i]);
    docks_[i]->show();
  }
  const auto at = [this](Place where) {
    return docks_[static_cast<std::size_t>(std::find(places_.begin(), places_.end(), where) -
                                           places_.begin())];
  };
  const int width = window_.width();
  const int height = window_.height();
  const int left = std::clamp(width * 23 / 100, 250, 370);
  const int right = std::clamp(width * 26 / 100, 290, 460);
  window_.resizeDocks({at(Place::LeftTop), at(Place::RightTop)}, {left, right}, Qt::Horizontal);
  window_.resizeDocks({at(Place::LeftTop), at(Place::LeftBottom)}, {height * 30, height * 60},
                      Qt::Vertical);
  window_.resizeDocks({at(Place::RightTop), at(Place::RightMiddle), at(Place::RightBottom)},
                      {height * 30, height * 36, height * 30}, Qt::Vertical);
  window_.resizeDocks({at(Place::BottomLeft), at(Place::BottomRight)}, {50, 50}, Qt::Horizontal);
  window_.resizeDocks({at(Place::BottomLeft)}, {height * 38 / 100}, Qt::Vertical);
}

}  // namespace shardlens
