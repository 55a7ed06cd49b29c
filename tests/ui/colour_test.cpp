#include "ui/scenes/colour.h"

#include "ui/scenes/theme.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

namespace shardlens {
namespace {

double linear(double c) { return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4); }

double luminance(const QColor& colour) {
  return 0.2126 * linear(colour.redF()) + 0.7152 * linear(colour.greenF()) +
         0.0722 * linear(colour.blueF());
}

double contrast(const QColor& one, const QColor& other) {
  const auto [dark, bright] = std::minmax({luminance(one), luminance(other)});
  return (bright + 0.05) / (dark + 0.05);
}

TEST(Colour, ConvertsBlackWhiteAndGrey) {
  EXPECT_EQ(oklch(0, 0, 0), QColor(0, 0, 0));
  EXPECT_EQ(oklch(1, 0, 0), QColor(255, 255, 255));
  const QColor grey = oklch(0.6, 0, 120);
  EXPECT_EQ(grey.red(), grey.green());
  EXPECT_EQ(grey.green(), grey.blue());
}

TEST(Colour, LightnessFallsAlongARowForEachHue) {
  for (int row = 0; row < 12; ++row) {
    EXPECT_GT(luminance(elementColour(row, 12, 0, false)),
              luminance(elementColour(row, 12, 0.5, false)));
    EXPECT_GT(luminance(elementColour(row, 12, 0.5, false)),
              luminance(elementColour(row, 12, 1, false)));
  }
}

// Elements carry text, so their colours need a contrast of 4.5, the minimum for readable text.
TEST(Colour, TextIsReadableOnEveryElement) {
  for (const bool dark : {false, true}) {
    setColourScheme(dark ? ColourScheme::Dark : ColourScheme::Light);
    for (int row = 0; row < 48; ++row) {
      EXPECT_GE(contrast(elementColour(row, 48, 1, dark), theme().onCells), 4.5)
          << "row " << row << " dark " << dark;
    }
  }
  setColourScheme(ColourScheme::Light);
}

// Linear light as seen by an eye that lacks one kind of cone (Machado, Oliveira, Fernandes:
// A Physiologically-based Model for Simulation of Color Vision Deficiency, 2009; severity 1).
using Matrix = std::array<std::array<double, 3>, 3>;

constexpr std::array<std::pair<const char*, Matrix>, 4> kEyes{{
    {"all cones", {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}},
    {"protanopia",
     {{{0.152286, 1.052583, -0.204868},
       {0.114503, 0.786281, 0.099216},
       {-0.003882, -0.048116, 1.051998}}}},
    {"deuteranopia",
     {{{0.367322, 0.860646, -0.227968},
       {0.280085, 0.672501, 0.047413},
       {-0.011820, 0.042940, 0.968881}}}},
    {"tritanopia",
     {{{1.255528, -0.076749, -0.178779},
       {-0.078411, 0.930809, 0.147602},
       {0.004733, 0.691367, 0.303900}}}},
}};

std::array<double, 3> seen(const Matrix& eye, const QColor& colour) {
  const std::array from{linear(colour.redF()), linear(colour.greenF()), linear(colour.blueF())};
  std::array<double, 3> to{};
  for (std::size_t i = 0; i < 3; ++i) {
    to[i] = std::clamp(eye[i][0] * from[0] + eye[i][1] * from[1] + eye[i][2] * from[2], 0.0, 1.0);
  }
  return to;
}

// Returns the distance in OKLab, where the least visible difference is about 0.02.
double difference(const std::array<double, 3>& one, const std::array<double, 3>& other) {
  const auto oklab = [](const std::array<double, 3>& c) {
    const double l = std::cbrt(0.4122214708 * c[0] + 0.5363325363 * c[1] + 0.0514459929 * c[2]);
    const double m = std::cbrt(0.2119034982 * c[0] + 0.6806995451 * c[1] + 0.1073969566 * c[2]);
    const double s = std::cbrt(0.0883024619 * c[0] + 0.2817188376 * c[1] + 0.6299787005 * c[2]);
    return std::array{0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s,
                      1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s,
                      0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s};
  };
  const auto a = oklab(one);
  const auto b = oklab(other);
  return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

// Neighbouring rows have visibly different colours in tensors of up to 16 rows.
TEST(Colour, NeighboursDifferForColourBlindEyes) {
  for (const auto& [name, eye] : kEyes) {
    for (int rows = 2; rows <= 16; ++rows) {
      for (const bool dark : {false, true}) {
        for (const double across : {0.0, 0.4, 1.0}) {
          for (int row = 1; row < rows; ++row) {
            EXPECT_GE(difference(seen(eye, elementColour(row - 1, rows, across, dark)),
                                 seen(eye, elementColour(row, rows, across, dark))),
                      0.03)
                << name << ": rows " << row - 1 << " and " << row << " of " << rows << ", across "
                << across << ", dark " << dark;
          }
        }
      }
    }
  }
}

// Only a strided or permuted shard looks interleaved.
TEST(Colour, LightnessIsSmoothAlongManyRows) {
  for (const bool dark : {false, true}) {
    for (int row = 1; row < 64; ++row) {
      EXPECT_NEAR(luminance(elementColour(row - 1, 64, 0.4, dark)),
                  luminance(elementColour(row, 64, 0.4, dark)), 0.02)
          << row;
    }
  }
}

// Includes text on the soft backgrounds of current, good and wrong items.
TEST(Theme, EveryTextHasEnoughContrast) {
  for (const ColourScheme scheme : {ColourScheme::Light, ColourScheme::Dark}) {
    setColourScheme(scheme);
    const Theme& now = theme();
    std::vector<std::pair<QColor, QColor>> pairs{
        {now.dark() ? now.window : now.card, now.accent},  // of the main button
        {now.good, now.goodSoft},
        {now.warn, now.warnSoft},
        {now.bad, now.badSoft},
        {now.accent, now.accentSoft}};
    for (const QColor& ground : {now.window, now.card, now.inset}) {
      for (const QColor& ink :
           {now.text, now.muted, now.faint, now.accent, now.good, now.warn, now.bad}) {
        pairs.emplace_back(ink, ground);
      }
    }
    for (const QColor& ground : {now.accentSoft, now.goodSoft, now.warnSoft, now.badSoft}) {
      pairs.emplace_back(now.text, ground);
      pairs.emplace_back(now.muted, ground);
    }
    for (const auto& [ink, ground] : pairs) {
      EXPECT_GE(contrast(ink, ground), 4.5)
          << ink.name().toStdString() << " on " << ground.name().toStdString();
    }
  }
  setColourScheme(ColourScheme::Light);
}

}  // namespace
}  // namespace shardlens
