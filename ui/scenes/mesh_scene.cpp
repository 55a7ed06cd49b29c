#include "ui/scenes/mesh_scene.h"

#include "ui/models/event_words.h"
#include "ui/models/format.h"
#include "ui/scenes/tensor_view.h"

#include <algorithm>
#include <cmath>

namespace shardlens {
namespace {

constexpr double kAxisName = 20;
constexpr int kMostBoxes = 512;

// Where a rank stands, in units of rank boxes, and how many there are across and down. Blocks of
// outer axes keep a gap of a quarter box for each level.
struct Places {
  std::vector<QPointF> at;
  double columns = 1;
  double rows = 1;
};

Places placesOf(const DeviceMesh& mesh) {
  Places places;
  std::vector<double> step(static_cast<std::size_t>(mesh.ndim()));
  double extent[2] = {1, 1};  // across, down
  for (int dim = mesh.ndim() - 1, level = 0; dim >= 0; --dim, ++level) {
    double& span = extent[level % 2];
    const double gap = level < 2 ? 0 : 0.35;
    step[static_cast<std::size_t>(dim)] = span + gap;
    span = (span + gap) * mesh.size(dim) - gap;
  }
  for (int rank = 0; rank < mesh.size(); ++rank) {
    QPointF at;
    for (int dim = mesh.ndim() - 1, level = 0; dim >= 0; --dim, ++level) {
      const double offset = step[static_cast<std::size_t>(dim)] * mesh.coordinate(rank, dim);
      (level % 2 == 0 ? at.rx() : at.ry()) += offset;
    }
    places.at.push_back(at);
  }
  places.columns = extent[0];
  places.rows = extent[1];
  return places;
}

QString shapeHeld(const TensorView& view, int rank) {
  const RankPart* part = view.part(rank);
  if (view.record == nullptr || part == nullptr) {
    return {};
  }
  return part->where == Whereabouts::NotInMesh ? QStringLiteral("not in it")
                                               : toQString(toText(part->local));
}

// A line from one member of a group to the next, as they follow one another.
MeshEdge edgeBetween(const QRectF& from, const QRectF& to) {
  const bool across = std::abs(from.center().y() - to.center().y()) < 1;
  return across ? MeshEdge{QPointF(from.right(), from.center().y()),
                           QPointF(to.left(), to.center().y())}
                : MeshEdge{QPointF(from.center().x(), from.bottom()),
                           QPointF(to.center().x(), to.top())};
}

// Frames and lines tell the groups apart where each keeps to itself. Groups along an outer axis
// that stand between one another's ranks get numbers instead.
void joinGroups(MeshScene& scene, const std::vector<std::vector<int>>& groups) {
  std::vector<QRectF> frames;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    QRectF frame;
    MeshRank* before = nullptr;
    for (const int member : groups[i]) {
      if (member < 0 || member >= static_cast<int>(scene.ranks.size())) {
        continue;
      }
      MeshRank& rank = scene.ranks[static_cast<std::size_t>(member)];
      rank.joined = true;
      rank.group = static_cast<int>(i) + 1;
      frame = frame.united(rank.rect);
      if (before != nullptr) {
        scene.edges.push_back(edgeBetween(before->rect, rank.rect));
      }
      before = &rank;
    }
    frames.push_back(frame);
  }
  const bool apart = std::all_of(scene.ranks.begin(), scene.ranks.end(), [&](const auto& rank) {
    for (std::size_t i = 0; i < frames.size(); ++i) {
      const bool member = rank.group == static_cast<int>(i) + 1;
      if (!member && frames[i].contains(rank.rect.center())) {
        return false;
      }
    }
    return true;
  });
  if (!apart) {
    scene.edges.clear();
  }
  for (std::size_t i = 0; apart && i < frames.size(); ++i) {
    scene.groups.push_back(frames[i].adjusted(-6, -6, 6, 6));
  }
  for (MeshRank& rank : scene.ranks) {
    rank.group = apart || groups.size() == 1 ? 0 : rank.group;
  }
}

// Of many groups the one that a hosted rank is in.
void joinOwnGroup(MeshScene& scene, const std::vector<std::vector<int>>& groups, int own) {
  for (const auto& group : groups) {
    if (std::find(group.begin(), group.end(), own) == group.end()) {
      continue;
    }
    for (const int member : group) {
      if (member >= 0 && member < static_cast<int>(scene.ranks.size())) {
        scene.ranks[static_cast<std::size_t>(member)].joined = true;
      }
    }
  }
}

}  // namespace

ShownCollective shownCollective(const Journal& journal, const Snapshot& snapshot) {
  if (snapshot.position == 0) {
    return {};
  }
  if (journal.at(snapshot.position).kind == EventKind::Collective) {
    return {snapshot.position, CollectiveTense::Now};
  }
  for (const EventId id : snapshot.open) {
    if (journal.at(id).kind == EventKind::Collective) {
      return {id, CollectiveTense::Now};
    }
  }
  constexpr EventId kFarthest = 64;
  const EventId end = std::min(journal.size(), snapshot.position + kFarthest);
  for (EventId id = snapshot.position + 1; id <= end; ++id) {
    if (journal.at(id).kind == EventKind::Collective) {
      return {id, CollectiveTense::Next};
    }
  }
  return {};
}

MeshScene layoutMesh(const Journal& journal, const Snapshot& snapshot, QSizeF area) {
  MeshScene scene;
  const auto mesh = recordedMesh(journal);
  if (!mesh) {
    return scene;
  }
  const Places places = placesOf(*mesh);
  const auto hosted = hostedRanks(journal);
  const auto isHosted = [&](int rank) {
    return std::binary_search(hosted.begin(), hosted.end(), rank);
  };
  const auto [id, tense] = shownCollective(journal, snapshot);
  scene.tense = tense;
  std::vector<std::vector<int>> groups;
  if (tense != CollectiveTense::None) {
    const Event& event = journal.at(id);
    groups = parseRanks(journal.text(event.ranks));
    scene.collective = collectiveText(journal, event);
    std::int64_t members = 0;
    for (const auto& group : groups) {
      members += std::count_if(group.begin(), group.end(), isHosted);
    }
    scene.bytes = members > 0 ? QStringLiteral("%1 a rank, %2 together")
                                    .arg(bytesText(event.bytes / members), bytesText(event.bytes))
                              : bytesText(event.bytes);
  }

  const bool stands = mesh->ndim() > 1;
  const double left = stands ? kAxisName + 4 : 0;
  // A gap of about a third of a box shows the edges between.
  const double unitX = (area.width() - left) / (places.columns - 0.28);
  const double unitY = (area.height() - kAxisName) / (places.rows - 0.28);
  scene.dots = mesh->size() > kMostBoxes;
  const double boxWidth = std::clamp(unitX * 0.72, scene.dots ? 0.5 : 30.0, 92.0);
  const double boxHeight = std::clamp(unitY * 0.72, scene.dots ? 0.5 : 24.0, 62.0);
  const double pitchX = std::min(unitX, boxWidth / 0.72);
  const double pitchY = std::min(unitY, boxHeight / 0.66);
  const double width = pitchX * (places.columns - 1) + boxWidth;
  const double height = pitchY * (places.rows - 1) + boxHeight;
  const double x0 = left + std::max(0.0, (area.width() - left - width) / 2);
  const double y0 = kAxisName + std::max(0.0, (area.height() - kAxisName - height) / 2);

  const TensorView view = viewTensor(journal, snapshot, tensorInFocus(journal, snapshot));
  for (int rank = 0; rank < mesh->size(); ++rank) {
    const QPointF at = places.at[static_cast<std::size_t>(rank)];
    const QRectF box(x0 + at.x() * pitchX, y0 + at.y() * pitchY, boxWidth, boxHeight);
    scene.ranks.push_back(
        {rank, box, isHosted(rank), false, 0, scene.dots ? QString() : shapeHeld(view, rank)});
  }
  if (scene.dots) {
    joinOwnGroup(scene, groups, hosted.empty() ? 0 : hosted.front());
  } else {
    joinGroups(scene, groups);
  }
  QString across;
  QString down;
  for (int dim = mesh->ndim() - 1, level = 0; dim >= 0; --dim, ++level) {
    const QString name = QStringLiteral("%1 %2").arg(
        toQString(mesh->names()[static_cast<std::size_t>(dim)]), QString::number(mesh->size(dim)));
    QString& side = level % 2 == 0 ? across : down;
    side = side.isEmpty() ? name : name + QStringLiteral("  ·  ") + side;
  }
  scene.axes.push_back({across, QRectF(x0, y0 - kAxisName - 3, width, kAxisName), false});
  if (stands) {
    scene.axes.push_back({down, QRectF(x0 - kAxisName - 6, y0, kAxisName, height), true});
  }
  scene.size = QSizeF(x0 + width, y0 + height);
  return scene;
}

}  // namespace shardlens
