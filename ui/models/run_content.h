#pragma once

#include "core/trace/journal/journal.h"

#include <QMap>
#include <QString>

namespace shardlens {

// An arrangement of the panels for a purpose.
enum class Perspective {
  Step,     // program, shards and masks
  Job,      // problems, ranks and timeline
  Hang,     // which ranks wait for which
  Compare,  // beside a linked window
};

// What a recording contains, which determines the arrangement of the panels.
struct RunContent {
  // The panels that have nothing to show, by object name, with the reason: "No mask buffers: ids
  // are masked in one fused pass".
  QMap<QString, QString> empty = {};
  bool isLive = false;  // the run may grow
  Perspective perspective = Perspective::Step;

  bool operator==(const RunContent&) const = default;
};

// Reads at most the last 512 events. Of a live run, only what its options exclude counts as empty.
// The perspective is Hang if ranks wait for a collective among those events, Job for the recordings
// of several processes, and for a run that is over and has no tensors, else Step.
RunContent contentOf(const Journal& journal, bool isLive);

}  // namespace shardlens
