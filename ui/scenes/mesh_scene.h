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

// A rank of the mesh as it is drawn.
struct MeshRank {
  int rank = 0;
  QRectF rect;
  bool here = true;      // the recording has its values; false: another process recorded them
  bool joined = false;   // takes part in the shown collective
  bool atFault = false;  // see view::ranksAtFault(); only while the collective is in progress
  int group = 0;      // number of its group in the collective, from 1; 0: none, or a frame shows it
  QString device;     // "cuda:1"; empty if unknown
  QString role;       // "sends, receives"; empty if the event is not specific to ranks
  QString shortRole;  // "send, recv"
  QString localShape;  // local shape of the tensor in focus
};

// Returns the mesh of the recording. If it has none, as imported dumps do, returns a mesh with one
// dimension that contains all its ranks. nullopt without ranks.
std::optional<DeviceMesh> shownMesh(const Journal& journal);

// Describes one rank at the snapshot, without its rectangle and short role. `rank` must be one of
// shownMesh().
MeshRank describeRank(const Journal& journal, const Snapshot& snapshot, int rank);

// A line from a rank to the next rank of its group.
struct MeshEdge {
  QPointF from;
  QPointF to;
};

// The name of a mesh dimension and its place beside the ranks.
struct MeshAxis {
  QString name;
  QRectF rect;
  bool upright = false;
};

// A label on the lines or the frame of a group: the bytes that each rank sends, or receives from
// the root, "72 B"; the average, "~30 B", if that differs between ranks.
struct MeshLabel {
  QRectF rect;
  QString text;
};

enum class CollectiveTense { None, Now, Next };

// The layout of the mesh: ranks as MeshGrid places them, axis names, and the shown collective. Only
// visible ranks are laid out, in coordinates of the area. Ranks in small boxes have no texts.
struct MeshScene {
  QSizeF size;                  // of the whole mesh, for scrolling
  QRectF inside;                // the part of the area that shows ranks
  std::vector<MeshRank> ranks;  // visible ranks, ascending
  std::vector<MeshEdge> edges;
  std::vector<QRectF> groups;  // frames of the groups; empty if a frame would contain a non-member
  std::vector<MeshLabel> labels;
  std::vector<MeshAxis> axes;  // longer than 1; none if the recording has no mesh
  CollectiveTense tense = CollectiveTense::None;
  QString collective;  // "all_reduce over tp"
  QString bytes;  // "sent: 72 B per rank, 288 B in total", "sent: 32 B to each rank, ..."; or ""
  MeshGrid grid;
  QPointF shift;  // translates grid coordinates to area coordinates

  QRectF boxOf(int rank) const { return grid.boxOf(rank).translated(shift); }
};

// The scroll position and the magnification of a mesh scene.
struct MeshViewport {
  QPointF scrolled;
  double magnified = 1;
};
// Returns the ranks at fault in the shown collective, as view::ranksAtFault(), if it is in
// progress.
std::vector<int> shownFaults(const Journal& journal, const Snapshot& snapshot);

// Returns an empty scene if there is no mesh.
MeshScene layoutMesh(const Journal& journal, const Snapshot& snapshot, QSizeF area,
                     const MeshViewport& viewport = {});

// The collective that the mesh shows.
struct ShownCollective {
  EventId id = 0;  // 0: none
  CollectiveTense tense = CollectiveTense::None;
};
// Returns the collective at the position or around it (Now), else the next one within 64 events
// (Next), else none. Returns none at position 0.
ShownCollective shownCollective(const Journal& journal, const Snapshot& snapshot);

}  // namespace shardlens
