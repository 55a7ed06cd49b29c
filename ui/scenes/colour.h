#pragma once

#include <QColor>
#include <cstdint>

namespace shardlens {

// Converts a colour from OKLCH, a perceptually uniform space: lightness 0..1, chroma, hue in
// degrees. Reduces the chroma if the colour is outside sRGB.
QColor oklch(double lightness, double chroma, double hue);

// Mixes two colours in sRGB. Share 0 gives `first`, 1 gives `second`.
QColor mixed(const QColor& first, const QColor& second, double share);

// Returns the colour of an element by its place in the global tensor. The hue is that of `index` of
// `count`, the lightness that of `across`, from 0 (first) to 1 (last). Of up to 16 indices, odd
// ones are darker, so that neighbours differ without hue. GUI thread only.
QColor elementColour(std::int64_t index, std::int64_t count, double across, bool dark);

}  // namespace shardlens
