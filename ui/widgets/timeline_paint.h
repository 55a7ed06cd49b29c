#pragma once

#include "ui/scenes/timeline_scene.h"

class QPainter;

namespace shardlens {

// What a lane of a timeline is made of.

// What is too short for bars: a line a pixel, as high as what is done takes of its time, which is
// so many nanoseconds.
void drawColumns(QPainter& painter, const TimelineLane& lane, double nanoseconds);

void drawBar(QPainter& painter, const TimelineBar& bar);

// A hit is a filled dot, a miss a ring; of a mask a diamond, an error a cross.
void drawMoment(QPainter& painter, const TimelineMoment& moment);

// Of the one that comes last: a wedge at the beginning of its bar.
void drawLate(QPainter& painter, const TimelineBar& bar);

}  // namespace shardlens
