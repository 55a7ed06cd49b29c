#pragma once

#include <QColor>
#include <cstdint>

namespace shardlens {

// A colour of the OKLCH space, which is even to the eye: lightness 0..1, chroma, hue in degrees.
// Chroma gives way where the screen cannot show it.
QColor oklch(double lightness, double chroma, double hue);

// Two colours mixed in sRGB; at 0 it is the first.
QColor mixed(const QColor& first, const QColor& second, double share);

// The colour of an element by its place in the global tensor: hue by its index along one dimension,
// out of so many, and lightness along another, from 0 (first) to 1 (last). Every other index is
// darker, so that neighbours differ for those who see no hue, or other ones.
QColor elementColour(std::int64_t index, std::int64_t count, double across, bool dark);

}  // namespace shardlens
