#pragma once

#include "core/trace/journal/journal.h"
#include "core/trace/snapshot/snapshot.h"

#include <QPointF>
#include <QRectF>
#include <QString>
#include <vector>

namespace shardlens {

struct MeshRank {
  int rank = 0;
  QRectF rect;
  bool here = true;     // this process hosts it; else another recording has what it holds
  bool joined = false;  // takes part in the collective
  int group = 0;        // in which of its groups, from 1, where no frame shows it
  QString holds;        // what it holds of the tensor in focus
};

// A line from one rank to the next of its group.
struct MeshEdge {
  QPointF from;
  QPointF to;
};

struct MeshAxis {
  QString name;
  QRectF rect;
  bool upright = false;
};

enum class CollectiveTense { None, Now, Next };

// The ranks as MeshGrid places them, with named axes. Where they take more room than the area has,
// it is scrolled: what can be seen is laid out, in the area's own coordinates, and nothing else.
struct MeshScene {
  QSizeF size;                  // of everything, that is how far it can be scrolled
  QRectF inside;                // the part of the area that the ranks are seen in
  std::vector<MeshRank> ranks;  // ascending
  std::vector<MeshEdge> edges;
  std::vector<QRectF> groups;  // a frame around each, where none would hold a stranger
  std::vector<MeshAxis> axes;
  CollectiveTense tense = CollectiveTense::None;
  QString collective;  // "all_reduce over tp"
  QString bytes;       // "put in: 72 B a rank, 288 B together"
};

MeshScene layoutMesh(const Journal& journal, const Snapshot& snapshot, QSizeF area,
                     QPointF scrolled = {});

// The collective that the position stands in or at, else the next one within this step.
struct ShownCollective {
  EventId id = 0;
  CollectiveTense tense = CollectiveTense::None;
};
ShownCollective shownCollective(const Journal& journal, const Snapshot& snapshot);

}  // namespace shardlens
