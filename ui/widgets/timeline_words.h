#pragma once

#include "core/view/timeline/timeline.h"
#include "core/view/words/placement_words.h"
#include "ui/scenes/timeline_scene.h"

#include <QString>
#include <vector>

namespace shardlens {

// Returns the tooltip of a group of collectives: for each name the number, bytes, time and waiting
// of those that start in it on a rank.
QString groupWords(const Journal& journal, const view::Timeline& timeline, int rank,
                   const TimelineGroup& group);

// "16 similar ranks: 0-7,16-23".
QString similarRanksText(const std::vector<int>& ranks);

// Describes a span of a rank, a fact per line: its sentence, its time, the device, and whether the
// rank waits or arrives last.
QString timelineWords(const Journal& journal, const view::TimelineSpan& span, int rank,
                      view::Notation notation);

}  // namespace shardlens
