#pragma once

#include "ui/scenes/theme.h"

#include <QApplication>

namespace shardlens {

// Returns the look that fits a palette: Dark if the text is lighter than the background.
Look lookOf(const QPalette& palette);
Look systemLook();  // the look of the desktop

// Sets the look of the whole program: style, palette and fonts, at the current zoom. Widgets that
// paint themselves use it at their next paint.
void applyLook(QApplication& application, Look look);

}  // namespace shardlens
