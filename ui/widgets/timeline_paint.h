#pragma once

#include "ui/scenes/timeline_scene.h"

class QPainter;

namespace shardlens {

// Functions that draw the parts of a timeline's lane.

// Draws spans that are too short for bars: for each pixel a column whose height is the share of the
// time they take. `nanoseconds` is the time of a pixel.
void drawColumns(QPainter& painter, const TimelineLane& lane, double nanoseconds);

// Draws a span as a bar, without its text.
void drawBar(QPainter& painter, const TimelineBar& bar);

// Draws a hit as a dot, a miss as a ring, a mask event as a diamond, an error as a cross.
void drawMoment(QPainter& painter, const TimelineMoment& moment);

// Draws where a rank is missing in a collective.
void drawGap(QPainter& painter, const TimelineGap& gap);

// Draws the wedge at the beginning of the bar of a collective's last rank to arrive.
void drawLate(QPainter& painter, const TimelineBar& bar);

}  // namespace shardlens
