#pragma once

#include "ui/scenes/mesh_scene.h"

#include <QRectF>

namespace shardlens {

// Adds the names of the mesh dimensions above the grid of a scene and beside it, in these areas. If
// a dimension runs over blocks of ranks, each visible block has a name: "pp 0  ·  tp 8", or "pp 0"
// if that does not fit. Requires that the ranks of the scene can be placed by boxOf().
void addAxes(MeshScene& scene, const DeviceMesh& mesh, const QRectF& above, const QRectF& beside);

}  // namespace shardlens
