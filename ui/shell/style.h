#pragma once

#include "ui/scenes/theme.h"

#include <QApplication>

namespace shardlens {

// Returns the colour scheme that fits a palette: Dark if the text is lighter than the background.
ColourScheme colourSchemeOf(const QPalette& palette);
ColourScheme systemColourScheme();  // the colour scheme of the desktop

// Sets the appearance of the whole program: style, palette and fonts, at the current zoom. Call it
// again after a change of the zoom. Widgets that paint themselves use it at their next paint.
void applyColourScheme(QApplication& application, ColourScheme scheme);

}  // namespace shardlens
