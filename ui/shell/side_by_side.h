#pragma once

#include <QRect>

class QWidget;

namespace shardlens {

// Where two windows go that share the room of a screen: beside one another, or one above the other
// where that is what they have room for. Where neither is, they overlap.
struct SideBySide {
  QRect first;
  QRect second;
};
SideBySide sideBySide(const QRect& room, QSize smallest);

// Puts them there, with their frames.
void putSideBySide(QWidget& first, QWidget& second);

}  // namespace shardlens
