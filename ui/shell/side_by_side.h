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
// Returns two places of equal size in `room`, at least `smallest` unless the room is smaller.
SideBySide sideBySide(const QRect& room, QSize smallest);

// Moves the windows to their places on the screen of `first`, taking its frame into account for
// both. Ends the maximised or full-screen state of `first`.
void putSideBySide(QWidget& first, QWidget& second);

}  // namespace shardlens
