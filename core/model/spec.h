#pragma once

#include "core/model/dtype.h"
#include "core/model/mesh.h"
#include "core/model/placement.h"

#include <utility>

namespace shardlens {

// Shape, strides and dtype of the global tensor, as if it were on one device.
struct TensorMeta {
  Shape shape;
  Shape strides;
  DType dtype = DType::Float32;

  int ndim() const { return static_cast<int>(shape.size()); }
  bool operator==(const TensorMeta&) const = default;
};

// Returns the product of the sizes: 1 for a scalar.
std::int64_t elementCount(const Shape& shape);
// Returns the coordinates of an element by its row-major index: {1, 0} for index 2 of shape {2, 2}.
Shape coordinates(const Shape& shape, std::int64_t element);
// Returns row-major strides. Dimensions of size 0 count as 1.
Shape contiguousStrides(const Shape& shape);
// Returns strides without gaps whose dimensions have the same order in memory as the strides
// `like`, of which there must be as many. Of equal strides the right dimension is the inner one.
Shape stridesInOrder(const Shape& shape, const Shape& like);

// The distribution of a tensor: the mesh, a placement per mesh dimension (which shard from left to
// right), and the global metadata. The engine and recordings use the same type. In a recording, a
// spec has an id and no strides; it has no mesh if that is the recording's, and no placements if it
// is of a mask.
struct Spec {
  MeshPtr mesh;
  Placements placements;
  TensorMeta meta;

  Spec() = default;
  Spec(MeshPtr onMesh, Placements placed, TensorMeta whole)
      : mesh(std::move(onMesh)), placements(std::move(placed)), meta(std::move(whole)) {}
  // Makes a spec without strides, as recordings have it.
  Spec(DType dtype, Shape shape, Placements placed = {}, MeshPtr onMesh = nullptr)
      : Spec(std::move(onMesh), std::move(placed), {std::move(shape), {}, dtype}) {}

  bool operator==(const Spec& other) const {
    return placements == other.placements && meta == other.meta && areEqual(mesh, other.mesh);
  }
};

// Returns "f32[10, 3](S(0), R)".
std::string toText(const Spec& spec);

// Returns the placements with negative tensor dimensions made positive. Returns an error unless
// there is one placement per mesh dimension, every dimension exists, and all partials are of one
// kind (sum and avg may mix). A MaskPartial must have an offsetShape with that offsetDim.
Result<Placements> verifyPlacements(Placements placements, const DeviceMesh& mesh, int ndim);

}  // namespace shardlens
