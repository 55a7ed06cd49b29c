#include "ui/scenes/colour.h"

#include "ui/scenes/theme.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

namespace shardlens {
namespace {

double luminance(const QColor& colour) {
  const auto linear = [](double c) {
    return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
  };
  return 0.2126 * linear(colour.redF()) + 0.7152 * linear(colour.greenF()) +
         0.0722 * linear(colour.blueF());
}

TEST(Colour, KnowsBlackWhiteAndGrey) {
  EXPECT_EQ(oklch(0, 0, 0), QColor(0, 0, 0));
  EXPECT_EQ(oklch(1, 0, 0), QColor(255, 255, 255));
  const QColor grey = oklch(0.6, 0, 120);
  EXPECT_EQ(grey.red(), grey.green());
  EXPECT_EQ(grey.green(), grey.blue());
}

TEST(Colour, LightnessFallsAlongARowWhateverTheHue) {
  for (double along = 0; along <= 1; along += 0.1) {
    EXPECT_GT(luminance(elementColour(along, 0, false)),
              luminance(elementColour(along, 0.5, false)));
    EXPECT_GT(luminance(elementColour(along, 0.5, false)),
              luminance(elementColour(along, 1, false)));
  }
}

// Text stands on every element: 4.5 is what is asked of text that is to be read.
TEST(Colour, TextCanBeReadOnEveryElement) {
  for (const bool dark : {false, true}) {
    const double ink = luminance(dark ? QColor(0x11161e) : QColor(0x17202e));
    for (double along = 0; along <= 1; along += 0.05) {
      const double ground = luminance(elementColour(along, 1, dark));
      EXPECT_GE((ground + 0.05) / (ink + 0.05), 4.5) << "along " << along << " dark " << dark;
    }
  }
}

TEST(Theme, EveryTextCanBeReadWhereItStands) {
  for (const Look look : {Look::Light, Look::Dark}) {
    setLook(look);
    const Theme& now = theme();
    for (const QColor& ground : {now.window, now.card, now.inset}) {
      for (const QColor& ink :
           {now.text, now.muted, now.faint, now.accent, now.good, now.warn, now.bad}) {
        const auto [dark, bright] = std::minmax({luminance(ink), luminance(ground)});
        EXPECT_GE((bright + 0.05) / (dark + 0.05), 4.5)
            << ink.name().toStdString() << " on " << ground.name().toStdString();
      }
    }
  }
  setLook(Look::Light);
}

}  // namespace
}  // namespace shardlens
