#include "ui/scenes/zoom.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace shardlens {
namespace {

constexpr std::array kSteps{0.8, 0.9, 1.0, 1.1, 1.25, 1.5, 1.75, 2.0, 2.5, 3.0};

}  // namespace

Zoom& Zoom::now() {
  static Zoom zoom;
  return zoom;
}

void Zoom::set(double factor) {
  factor = std::isfinite(factor) ? std::clamp(factor, kSmallest, kLargest) : 1;
  if (factor != factor_) {
    factor_ = factor;
    Q_EMIT changed();
  }
}

double Zoom::ofSystem(double pixels) {
  constexpr double kUsual = 13.5;
  constexpr double kUsualLeast = 11;
  constexpr double kUsualMost = 15;
  const bool usual = pixels >= kUsualLeast && pixels <= kUsualMost;
  return usual || pixels <= 0 ? 1 : std::clamp(pixels / kUsual, kSmallest, kLargest);
}

double Zoom::larger() const {
  const auto* next = std::upper_bound(kSteps.begin(), kSteps.end(), factor_ + 0.001);
  return next == kSteps.end() ? kLargest : *next;
}

double Zoom::smaller() const {
  const auto* next = std::lower_bound(kSteps.begin(), kSteps.end(), factor_ - 0.001);
  return next == kSteps.begin() ? kSmallest : *std::prev(next);
}

int zoomed(double pixels) { return static_cast<int>(std::lround(pixels * Zoom::now().factor())); }

QFont zoomed(QFont font) {
  font.setPixelSize(std::max(1, zoomed(font.pixelSize())));
  return font;
}

void atEachZoom(QObject* whose, const std::function<void()>& apply) {
  apply();
  QObject::connect(&Zoom::now(), &Zoom::changed, whose, apply);
}

}  // namespace shardlens
