#pragma once

#include "ui/scenes/theme.h"

#include <QApplication>

namespace shardlens {

// Gives the whole program a look: Fusion with our palette, and a style sheet for what a palette
// does not reach. Panels that paint themselves follow at their next paint.
void applyLook(QApplication& application, Look look);

}  // namespace shardlens
