#pragma once

#include <QRectF>
#include <QString>
#include <QWidget>
#include <string>
#include <vector>

namespace shardlens {

// A text that a widget draws, and its visible place, in pixels of the widget.
struct DrawnText {
  QString text;
  QRectF rect;
};

// Renders the widget and returns the visible texts that it and its children draw.
std::vector<DrawnText> drawnTexts(QWidget& widget);

// Returns a description of the first two texts that overlap; empty if there are none.
std::string overlapIn(const std::vector<DrawnText>& texts);

}  // namespace shardlens
