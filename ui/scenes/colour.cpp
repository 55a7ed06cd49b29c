#include "ui/scenes/colour.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

namespace shardlens {
namespace {

std::array<double, 3> linearRgb(double lightness, double chroma, double hue) {
  const double angle = hue * std::numbers::pi / 180.0;
  const double a = chroma * std::cos(angle);
  const double b = chroma * std::sin(angle);
  const double l = std::pow(lightness + 0.3963377774 * a + 0.2158037573 * b, 3);
  const double m = std::pow(lightness - 0.1055613458 * a - 0.0638541728 * b, 3);
  const double s = std::pow(lightness - 0.0894841775 * a - 1.2914855480 * b, 3);
  return {4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
          -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
          -0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s};
}

bool onScreen(const std::array<double, 3>& rgb) {
  return std::all_of(rgb.begin(), rgb.end(), [](double c) { return c > -0.001 && c < 1.001; });
}

double gammaCoded(double c) {
  c = std::clamp(c, 0.0, 1.0);
  return c <= 0.0031308 ? 12.92 * c : 1.055 * std::pow(c, 1.0 / 2.4) - 0.055;
}

}  // namespace

QColor oklch(double lightness, double chroma, double hue) {
  auto rgb = linearRgb(lightness, chroma, hue);
  while (!onScreen(rgb) && chroma > 0.005) {
    chroma -= 0.005;
    rgb = linearRgb(lightness, chroma, hue);
  }
  return QColor::fromRgbF(static_cast<float>(gammaCoded(rgb[0])),
                          static_cast<float>(gammaCoded(rgb[1])),
                          static_cast<float>(gammaCoded(rgb[2])));
}

QColor mixed(const QColor& first, const QColor& second, double share) {
  const auto mix = [share](int a, int b) { return static_cast<int>(a + (b - a) * share + 0.5); };
  return {mix(first.red(), second.red()), mix(first.green(), second.green()),
          mix(first.blue(), second.blue())};
}

QColor elementColour(std::int64_t index, std::int64_t count, double across, bool dark) {
  // Colours are quantised in invisible steps and cached, because a scene has tens of thousands of
  // cells.
  constexpr std::size_t kHues = 2048;
  constexpr std::size_t kShades = 128;
  static std::vector<QRgb> made((kHues + 1) * (kShades + 1) * 6, 0);
  const double along =
      count > 1 ? static_cast<double>(index) / static_cast<double>(count - 1) : 0.0;
  const auto step = [](double share, std::size_t steps) {
    const double place = std::round(share * static_cast<double>(steps));
    return static_cast<std::size_t>(std::clamp(place, 0.0, static_cast<double>(steps)));
  };
  const std::size_t hue = step(along, kHues);
  const std::size_t shade = step(across, kShades);
  // Alternate lightness separates a few rows also for colour-blind eyes. In more rows it would look
  // like a strided shard.
  constexpr std::int64_t kFew = 16;
  const int parity = count > kFew ? 0 : index % 2 == 0 ? 1 : 2;
  QRgb& colour =
      made[((hue * (kShades + 1) + shade) * 3 + static_cast<std::size_t>(parity)) * 2 + (dark ? 1 : 0)];
  if (colour == 0) {
    const double share = static_cast<double>(shade) / kShades;
    const double brightest = dark ? 0.81 : 0.85;
    const double darkest = dark ? 0.665 : 0.68;
    const double lightness = brightest + (darkest - brightest) * share + (parity == 0 ? 0 : parity == 1 ? 0.03 : -0.03);
    const double chroma = (dark ? 0.095 : 0.105) + 0.02 * share;
    colour = oklch(lightness, chroma, 20.0 + 250.0 * static_cast<double>(hue) / kHues).rgb();
  }
  return QColor(colour);
}

}  // namespace shardlens
