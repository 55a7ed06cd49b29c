#pragma once

#include "ui/scenes/theme.h"

#include <QApplication>

namespace shardlens {

// Whether a palette is that of a dark system.
Look lookOf(const QPalette& palette);
Look systemLook();

// Gives the whole program a look: Fusion with our palette, and a style sheet for what a palette
// does not reach. Panels that paint themselves follow at their next paint.
// Sizes are those of the zoom.
void applyLook(QApplication& application, Look look);

}  // namespace shardlens
