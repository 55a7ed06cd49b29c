#pragma once

#include <QColor>
#include <array>

namespace shardlens {

// A perceptually uniform colour scale for numbers. A range with both signs gets a diverging scale
// of two hues around a neutral zero; other ranges vary in lightness only. NaN and infinities share
// a colour that no number has.
class ColourScale {
 public:
  ColourScale() = default;  // for assignment only: all its colours are black
  // Requires finite limits with min <= max. If they are equal, all numbers have the middle colour.
  ColourScale(double min, double max, bool dark);

  double low() const { return low_; }
  double high() const { return high_; }
  bool isDiverging() const { return diverging_; }  // true: low() == -high()
  QRgb colour(double number) const;                // clamps to the range
  static QRgb odd(bool dark);                      // the colour of NaN and infinities

 private:
  static constexpr int kColours = 257;  // odd, so that zero has its own colour

  QRgb colourAt(double share) const;

  double low_ = 0;
  double high_ = 0;
  bool diverging_ = false;
  bool dark_ = false;
  std::array<QRgb, kColours> colours_{};
};

// Returns a dark or a light text colour, whichever is readable on `ground`.
QColor inkOn(const QColor& ground);

}  // namespace shardlens
