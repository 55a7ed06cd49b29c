#pragma once

#include "ui/scenes/theme.h"

#include <QApplication>

namespace shardlens {

// Whether a palette is that of a dark system.
Look lookOf(const QPalette& palette);
Look systemLook();

// Gives the whole program a look: our style, palette and fonts, at the zoom's size. Panels that
// paint themselves follow at their next paint.
void applyLook(QApplication& application, Look look);

}  // namespace shardlens
