#pragma once

#include "core/trace/journal/journal.h"
#include "core/trace/snapshot/snapshot.h"
#include "ui/scenes/mesh_grid.h"

#include <QPointF>
#include <QRectF>
#include <QString>
#include <optional>
#include <vector>

namespace shardlens {

struct MeshRank {
  int rank = 0;
  QRectF rect;
  bool here = true;     // this process hosts it; else another recording has what it holds
  bool joined = false;  // takes part in the collective
  int group = 0;        // in which of its groups, from 1, where no frame shows it
  QString device;       // "cuda:1"; empty where that is not known
  QString role;         // "sends, receives"; empty where the event is of no rank in particular
  QString shortRole;    // "send, recv"
  QString holds;        // what it holds of the tensor in focus
};

// The mesh of the recording; where it tells of none, as other tools' dumps, its ranks side by side.
std::optional<DeviceMesh> shownMesh(const Journal& journal);

// What a rank is and does, of one that is asked for.
MeshRank describeRank(const Journal& journal, const Snapshot& snapshot, int rank);

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

// How many bytes each rank puts in, or gets of who sends, "72 B", or "~30 B" where that differs: on
// the lines of a group, or on its frame.
struct MeshLabel {
  QRectF rect;
  QString text;
};

enum class CollectiveTense { None, Now, Next };

// The ranks as MeshGrid places them, with named axes. Where they take more room than the area has,
// it is scrolled: what can be seen is laid out, in the area's own coordinates, and nothing else.
// What there is no room for in a box is left out of it.
struct MeshScene {
  QSizeF size;                  // of everything, that is how far it can be scrolled
  QRectF inside;                // the part of the area that the ranks are seen in
  std::vector<MeshRank> ranks;  // ascending
  std::vector<MeshEdge> edges;
  std::vector<QRectF> groups;  // a frame around each, where none would hold a stranger
  std::vector<MeshLabel> labels;
  std::vector<MeshAxis> axes;
  CollectiveTense tense = CollectiveTense::None;
  QString collective;  // "all_reduce over tp"
  QString bytes;       // "put in: 72 B a rank, 288 B together", "sent: 32 B to each rank, ..."
  MeshGrid grid;
  QPointF shift;  // from the grid's coordinates to the area's

  QRectF boxOf(int rank) const { return grid.boxOf(rank).translated(shift); }
};

// How far it is scrolled, and magnified.
struct MeshViewport {
  QPointF scrolled;
  double magnified = 1;
};
MeshScene layoutMesh(const Journal& journal, const Snapshot& snapshot, QSizeF area,
                     const MeshViewport& viewport = {});

// The collective that the position stands in or at, else the next one within this step.
struct ShownCollective {
  EventId id = 0;
  CollectiveTense tense = CollectiveTense::None;
};
ShownCollective shownCollective(const Journal& journal, const Snapshot& snapshot);

}  // namespace shardlens
