#include "ui/scenes/inferred_view.h"

#include "core/inference/words.h"
#include "ui/text/format.h"

#include <QStringList>
#include <algorithm>
#include <memory>
#include <utility>

namespace shardlens {
namespace {

// A tensor's record with another shape, placements and mesh, which it owns.
struct PlacedRecord {
  Shape shape;
  Placements placements;
  MeshPtr mesh;
  TensorRecord record;  // refers to the members above

  static std::shared_ptr<const TensorRecord> make(const TensorRecord& of, Shape shape,
                                                  Placements placements, MeshPtr mesh) {
    const auto made = std::make_shared<PlacedRecord>(of, std::move(shape), std::move(placements),
                                                     std::move(mesh));
    return {made, &made->record};
  }
  PlacedRecord(const TensorRecord& of, Shape itsShape, Placements itsPlacements, MeshPtr itsMesh)
      : shape(std::move(itsShape)),
        placements(std::move(itsPlacements)),
        mesh(std::move(itsMesh)),
        record{of.id, of.name, of.dtype, shape, placements, mesh} {}
  PlacedRecord(const PlacedRecord&) = delete;
  PlacedRecord& operator=(const PlacedRecord&) = delete;
};

// Returns the placements in the order of the mesh; empty if one is unknown, or if several shard one
// dimension, because the order of these is unknown.
Placements knownPlacements(const AxisMesh& mesh, const std::vector<InferredPlacement>& inferred) {
  Placements placements;
  std::vector<int> sharded;
  for (const auto axis : mesh.axes) {
    if (!inferred[axis].placement) return {};
    placements.push_back(*inferred[axis].placement);
    const auto dim = shardedDim(placements.back());
    if (!dim) continue;
    if (std::find(sharded.begin(), sharded.end(), *dim) != sharded.end()) return {};
    sharded.push_back(*dim);
  }
  return placements;
}

// Returns the shape of the whole tensor: along a sharded dimension, the sum of what the ranks of
// one group of the axis have.
Shape wholeShape(const TensorView& view, const DeviceMesh& mesh, const Placements& placements) {
  const RankPart& first = view.parts.front();
  Shape shape = first.local;
  for (std::size_t dim = 0; dim < placements.size(); ++dim) {
    const auto sharded = shardedDim(placements[dim]);
    if (!sharded) continue;
    const auto place = static_cast<std::size_t>(*sharded);
    shape[place] = 0;
    for (const auto& group : mesh.groups(static_cast<int>(dim))) {
      if (std::find(group.begin(), group.end(), first.rank) == group.end()) continue;
      for (const int rank : group) {
        const RankPart* part = view.part(rank);
        shape[place] += part == nullptr ? first.local[place] : part->local[place];
      }
    }
  }
  return shape;
}

// Returns true if the placements give each rank the shape that it has.
bool fits(const TensorView& view, const DeviceMesh& mesh, const Placements& placements,
          const Shape& shape) {
  return std::all_of(view.parts.begin(), view.parts.end(), [&](const RankPart& part) {
    return mesh.has(part.rank) && localShape(shape, mesh, placements, part.rank) == part.local;
  });
}

bool isWithin(const Placements& placements, const Shape& shape) {
  return std::all_of(placements.begin(), placements.end(), [&](const Placement& placement) {
    return shardedDim(placement).value_or(-1) < static_cast<int>(shape.size());
  });
}

}  // namespace

void placeInferred(TensorView& view, const InferredPlacements& inferred, EventId position) {
  if (view.record == nullptr || view.parts.empty() || !view.record->placements.empty()) return;
  const auto found = inferred.contents.at(view.record->id, position);
  if (found.empty()) return;
  view.isInferred = true;
  for (RankPart& part : view.parts) {
    part.local = part.value == nullptr ? view.record->shape : part.value->shape;
    part.runs.clear();
  }
  if (!inferred.mesh) return;
  const DeviceMesh& mesh = inferred.mesh->mesh;
  const auto placements = knownPlacements(*inferred.mesh, found);
  if (placements.empty() || !isWithin(placements, view.parts.front().local)) return;
  const Shape shape = wholeShape(view, mesh, placements);
  if (!fits(view, mesh, placements, shape)) return;
  view.record = PlacedRecord::make(*view.record, shape, placements, shared(mesh));
  view.mesh = mesh;
  view.ranksLeft = mesh.size() - static_cast<int>(view.parts.size());
  for (RankPart& part : view.parts) part.runs = ownedRuns(shape, mesh, placements, part.rank);
}

QString inferredText(const InferredPlacements& inferred, TensorId tensor, EventId position) {
  return toQString(placementsText(inferred.axes, inferred.contents.at(tensor, position)));
}

QString inferredFromText(const Journal& journal, const InferredPlacements& inferred,
                         TensorId tensor, EventId position) {
  QStringList reasons;
  const auto found = inferred.contents.at(tensor, position);
  for (std::size_t axis = 0; axis < found.size(); ++axis) {
    const auto text = toQString(evidenceText(journal, inferred.axes[axis], found[axis]));
    if (text.isEmpty()) continue;
    const auto name = toQString(inferred.axes[axis].name) + QStringLiteral(": ");
    reasons << (found.size() == 1 ? text : name + text);
  }
  if (reasons.isEmpty()) return {};
  return QObject::tr("inferred from %1").arg(reasons.join(QStringLiteral(" · ")));
}

TensorHeader tensorHeader(const Journal& journal, const TensorView& view,
                          const InferredPlacements* inferred, EventId position,
                          view::Notation notation) {
  if (view.record == nullptr) return {};
  const TensorRecord& tensor = *view.record;
  const QString placed = view.isInferred ? inferredText(*inferred, tensor.id, position)
                                         : shardlens::placedText(journal, tensor, notation);
  QStringList parts{toQString(tensor.name), tensorText(tensor), placed};
  parts.removeAll(QString());
  return {parts.join(QStringLiteral("  ·  ")),
          view.isInferred ? inferredFromText(journal, *inferred, tensor.id, position) : QString()};
}

}  // namespace shardlens
