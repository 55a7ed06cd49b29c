#pragma once

#include "core/trace/events/event_names.h"
#include "ui/scenes/timeline_scene.h"

#include <QStringList>

namespace shardlens {

// Returns the abbreviation of a collective, which the legend lists: "AG" for all_gather. Empty for
// Other.
QString shortCallName(CollectiveKind kind);

// Returns texts for a group, the longest first: "12 × all_gather", "12 × AG"; "24 × AG, RS";
// "24 collectives". A group of one collective has only its abbreviation.
QStringList groupTexts(const TimelineGroup& group);

// Adds to each lane its groups of neighbouring collectives that have no names of their own, without
// texts, and removes the frames in them. A collective that is shared by adjacent lanes and has no
// neighbours makes a group in the first of them only.
void groupCalls(TimelineScene& scene, const TimelineWindow& window);

}  // namespace shardlens
