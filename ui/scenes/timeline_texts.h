#pragma once

#include "ui/scenes/timeline_scene.h"

namespace shardlens {

// Shortens texts of a scene that do not fit before the sides of frames, and removes those that
// would be drawn over other texts. Sets the rooms of the frames, and groups collectives without
// room. Frames take precedence over groups, gaps and bars, and outer bars over inner ones.
void separateTexts(TimelineScene& scene, const TimelineWindow& window);

}  // namespace shardlens
