#include "ui/scenes/colour_scale.h"

#include "ui/scenes/colour.h"

#include <algorithm>
#include <cmath>

namespace shardlens {
namespace {

constexpr double kBelow = 255;  // blue and orange, hues that colour-blind users can distinguish
constexpr double kAbove = 55;

double luminance(const QColor& colour) {
  const auto linear = [](double c) {
    return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
  };
  return 0.2126 * linear(colour.redF()) + 0.7152 * linear(colour.greenF()) +
         0.0722 * linear(colour.blueF());
}

}  // namespace

ColourScale::ColourScale(double min, double max, bool dark)
    : low_(min), high_(max), diverging_(min < 0 && max > 0), dark_(dark) {
  if (diverging_) {
    high_ = std::max(-min, max);
    low_ = -high_;
  }
  for (int colour = 0; colour < kColours; ++colour) {
    colours_[static_cast<std::size_t>(colour)] =
        colourAt(static_cast<double>(colour) / (kColours - 1));
  }
}

QRgb ColourScale::colour(double number) const {
  if (!std::isfinite(number)) {
    return odd(dark_);
  }
  const double range = high_ / 2 - low_ / 2;
  const double share = range > 0 ? std::clamp((number / 2 - low_ / 2) / range, 0.0, 1.0) : 0.5;
  return colours_[static_cast<std::size_t>(std::lround(share * (kColours - 1)))];
}

QRgb ColourScale::colourAt(double share) const {
  const double ground = dark_ ? 0.28 : 0.96;
  const double far = dark_ ? 0.82 : 0.42;
  const double away = diverging_ ? std::abs(2 * share - 1) : share;
  return oklch(ground + (far - ground) * away, 0.02 + 0.12 * away,
               diverging_ && share > 0.5 ? kAbove : kBelow)
      .rgb();
}

QRgb ColourScale::odd(bool dark) { return oklch(dark ? 0.72 : 0.55, 0.25, 350).rgb(); }

QColor inkOn(const QColor& ground) {
  return luminance(ground) > 0.18 ? QColor(0x11161e) : QColor(0xffffff);
}

}  // namespace shardlens
