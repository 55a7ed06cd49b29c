#pragma once

#include "core/view/timeline/timeline_track.h"
#include "core/view/words/placement_words.h"

#include <QString>

namespace shardlens {

// Describes a span of a rank, a fact per line: its sentence, its time, the device, and whether the
// rank waits or arrives last.
QString timelineWords(const Journal& journal, const view::TimelineSpan& span, int rank,
                      view::Notation notation);

}  // namespace shardlens
