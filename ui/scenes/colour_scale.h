#pragma once

#include <QColor>
#include <array>

namespace shardlens {

// Gives numbers colours that are even to the eye: from one hue over a quiet zero to another where
// there are numbers on both sides of it, else by lightness alone. NaN and infinities have one that
// no number has.
class ColourScale {
 public:
  ColourScale() = default;
  ColourScale(double min, double max, bool dark);

  double low() const { return low_; }
  double high() const { return high_; }
  bool isDiverging() const { return diverging_; }  // then as far below zero as above
  QRgb colour(double number) const;
  static QRgb odd(bool dark);

 private:
  static constexpr int kColours = 257;  // an odd number, so that zero has one

  QRgb colourAt(double share) const;

  double low_ = 0;
  double high_ = 0;
  bool diverging_ = false;
  bool dark_ = false;
  std::array<QRgb, kColours> colours_{};
};

// Text that is read on a colour: dark or light.
QColor inkOn(const QColor& ground);

}  // namespace shardlens
