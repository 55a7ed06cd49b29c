#pragma once

#include <QColor>

namespace shardlens {

// A colour of the OKLCH space, which is even to the eye: lightness 0..1, chroma, hue in degrees.
// Chroma gives way where the screen cannot show it.
QColor oklch(double lightness, double chroma, double hue);

// Two colours mixed in sRGB; at 0 it is the first.
QColor mixed(const QColor& first, const QColor& second, double share);

// The colour of an element by its place in the global tensor: hue along one dimension, lightness
// along another, each from 0 (first index) to 1 (last). Lightness also wavers a little with the
// hue, so that neighbours differ for those who see no hue.
QColor elementColour(double along, double across, bool dark);

}  // namespace shardlens
