#pragma once

#include "ui/scenes/timeline_scene.h"

namespace shardlens {

// Shortens texts of a scene that do not fit, and removes those that would be drawn over other texts
// or over a side of a frame. Frames take precedence over gaps and bars, and outer bars over inner
// ones.
void separateTexts(TimelineScene& scene, double rowHeight);

}  // namespace shardlens
