#include "ui/scenes/timeline_window.h"

#include <algorithm>
#include <cmath>

namespace shardlens {

double TimelineWindow::xOf(std::int64_t time) const {
  return static_cast<double>(time - from) / static_cast<double>(to - from) * width;
}

std::int64_t TimelineWindow::timeAt(double x) const {
  return from + static_cast<std::int64_t>(std::floor(x / width * static_cast<double>(to - from)));
}

void TimelineWindow::showAll(const view::Timeline& timeline) {
  const std::int64_t begin = timeline.workBegin();
  const std::int64_t length = std::max<std::int64_t>(timeline.end() - begin, 1);
  from = begin - length / 100;
  // Leaves room for what has not ended.
  to = begin + length + length / (timeline.hasRunning() ? 5 : 50) + 1;
}

void TimelineWindow::show(const view::Timeline& timeline, std::int64_t first, std::int64_t length) {
  const std::int64_t all = std::max<std::int64_t>(timeline.end() - timeline.begin(), 1);
  const std::int64_t most = all + all / 20 + 1;
  length = std::clamp<std::int64_t>(length, 1, most);
  const std::int64_t least = timeline.begin() - length / 20;
  from = std::clamp(first, least, std::max(least, timeline.end() - length * 19 / 20));
  to = from + length;
}

void TimelineWindow::zoomBy(const view::Timeline& timeline, double times, double part) {
  const auto all = static_cast<double>(length());
  double next = std::floor(all / times);
  if (times < 1) next = std::max(next, all + 1);
  show(timeline, from + static_cast<std::int64_t>(part * (all - std::max(next, 1.0))),
       static_cast<std::int64_t>(std::min(next, 4e18)));
}

void TimelineWindow::pan(const view::Timeline& timeline, double pixels) {
  show(timeline, from + std::llround(pixels / width * static_cast<double>(length())), length());
}

std::int64_t tickInterval(std::int64_t length, int most) {
  std::int64_t power = 1;
  while (true) {
    for (const std::int64_t step : {1, 2, 5}) {
      if (length / (step * power) < most) return step * power;
    }
    power *= 10;
  }
}

}  // namespace shardlens
