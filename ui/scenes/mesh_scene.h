#pragma once

#include "core/trace/snapshot.h"

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

// The ranks as a grid with named axes: the last runs across, the one before down, the one before
// that across again over blocks, so that any mesh is a matrix of matrices.
struct MeshScene {
  QSizeF size;
  bool dots = false;  // too many for boxes with words: only the hosted ranks' group stands out
  std::vector<MeshRank> ranks;
  std::vector<MeshEdge> edges;
  std::vector<QRectF> groups;  // a frame around each, where none would hold a stranger
  std::vector<MeshAxis> axes;
  CollectiveTense tense = CollectiveTense::None;
  QString collective;  // "all_reduce over tp"
  QString bytes;       // "72 B a rank, 288 B together"
};

MeshScene layoutMesh(const Journal& journal, const Snapshot& snapshot, QSizeF area);

// The collective that the position stands in or at, else the next one within this step.
struct ShownCollective {
  EventId id = 0;
  CollectiveTense tense = CollectiveTense::None;
};
ShownCollective shownCollective(const Journal& journal, const Snapshot& snapshot);

}  // namespace shardlens
