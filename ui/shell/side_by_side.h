#pragma once

#include <QRect>

class QWidget;

namespace shardlens {

// The places of two windows on one screen: side by side if it is wide enough, one above the other
// if it is high enough, otherwise overlapping.
struct SideBySide {
  QRect first;
  QRect second;
};
SideBySide sideBySide(const QRect& room, QSize smallest);

// Moves the windows to their places on the screen of `first`, taking their frames into account.
void putSideBySide(QWidget& first, QWidget& second);

}  // namespace shardlens
