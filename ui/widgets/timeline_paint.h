#pragma once

#include "ui/scenes/timeline_scene.h"

#include <QSizeF>

class QPainter;

namespace shardlens {

// Draws a timeline: the time scale and the track of exposed communication at the top, the names of
// ranks at the left, which the caller draws, and the lanes. Keeps references to its inputs.
struct TimelinePaint {
  static constexpr double kLabels = 66;  // width of the rank names at the left
  static constexpr double kTicks = 18;   // height of the time scale
  static constexpr double kTop = 34;     // of the lanes: the time scale and the track below it

  QPainter& painter;
  const TimelineWindow& window;
  QSizeF room;

  void drawTicks() const;
  void drawMatches(const std::vector<double>& places) const;  // by x in the lanes
  void drawExposed(const std::vector<double>& shares) const;
  void drawScene(const TimelineScene& scene) const;
  // Draws a selected area; the rows are inclusive.
  void drawArea(std::int64_t from, std::int64_t to, std::int64_t firstRow,
                std::int64_t lastRow) const;

 private:
  void drawLane(const TimelineLane& lane) const;
  void drawTexts(const TimelineScene& scene) const;
};

}  // namespace shardlens
