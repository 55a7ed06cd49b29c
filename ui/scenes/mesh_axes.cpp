#include "ui/scenes/mesh_axes.h"

#include "ui/scenes/theme.h"
#include "ui/text/format.h"

#include <QFontMetricsF>
#include <algorithm>
#include <utility>

namespace shardlens {
namespace {

// Returns the names of the axes that run across, and of those that run down. Omits axes of size 1.
// The ranks of a single longer axis run across.
std::pair<QString, QString> axisNames(const DeviceMesh& mesh) {
  QString across;
  QString down;
  for (int dim = mesh.ndim() - 1, level = 0; dim >= 0; --dim, ++level) {
    if (mesh.size(dim) == 1) continue;
    const QString name = QStringLiteral("%1 %2").arg(
        toQString(mesh.names()[static_cast<std::size_t>(dim)]), QString::number(mesh.size(dim)));
    QString& side = level % 2 == 0 || mesh.size(dim) == mesh.size() ? across : down;
    side = side.isEmpty() ? name : name + QStringLiteral("  ·  ") + side;
  }
  return {across, down};
}

// Returns the mesh dimension whose blocks lie side by side along an axis of the grid. -1 if there
// is none, if the blocks have one rank along the axis, or if there are blocks of blocks.
int dimOfBlocks(const DeviceMesh& mesh, bool upright) {
  const int dim = mesh.ndim() - (upright ? 4 : 3);
  const bool hasOuter = dim >= 2 && mesh.size(dim - 2) > 1;
  const bool hasBlocks = dim >= 0 && mesh.size(dim) > 1 && mesh.size(dim + 2) > 1;
  return hasBlocks && !hasOuter ? dim : -1;
}

// Adds the name of the axes along one side of the grid, or the names of the visible blocks.
void addSide(MeshScene& scene, const DeviceMesh& mesh, const MeshAxis& side) {
  const int dim = dimOfBlocks(mesh, side.upright);
  if (side.name.isEmpty()) return;
  if (dim < 0) {
    scene.axes.push_back(side);
    return;
  }
  const auto nameOf = [&mesh](int of) {
    return toQString(mesh.names()[static_cast<std::size_t>(of)]);
  };
  int stride = 1;
  for (int inner = dim + 1; inner < mesh.ndim(); ++inner) stride *= mesh.size(inner);
  for (int block = 0; block < mesh.size(dim); ++block) {
    const QRectF ranks = scene.boxOf(block * stride) | scene.boxOf((block + 1) * stride - 1);
    QRectF rect = side.rect;
    rect.setLeft(side.upright ? rect.left() : std::max(rect.left(), ranks.left()));
    rect.setRight(side.upright ? rect.right() : std::min(rect.right(), ranks.right()));
    rect.setTop(side.upright ? std::max(rect.top(), ranks.top()) : rect.top());
    rect.setBottom(side.upright ? std::min(rect.bottom(), ranks.bottom()) : rect.bottom());
    if (rect.width() <= 0 || rect.height() <= 0) continue;
    const QString name = QStringLiteral("%1 %2").arg(nameOf(dim)).arg(block);
    const QString whole =
        name + QStringLiteral("  ·  ") + side.name.section(QStringLiteral("  ·  "), -1);
    const double room = side.upright ? rect.height() : rect.width();
    const bool fits =
        QFontMetricsF(textFont(10)).horizontalAdvance(whole + QStringLiteral("  →")) <= room;
    scene.axes.push_back({fits ? whole : name, rect, side.upright});
  }
}

}  // namespace

void addAxes(MeshScene& scene, const DeviceMesh& mesh, const QRectF& above, const QRectF& beside) {
  const auto [across, down] = axisNames(mesh);
  addSide(scene, mesh, {across, above, false});
  addSide(scene, mesh, {down, beside, true});
}

}  // namespace shardlens
