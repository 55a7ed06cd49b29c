#pragma once

#include "core/model/dtype.h"
#include "core/model/mesh.h"
#include "core/model/placement.h"

namespace shardlens {

// The whole tensor, as if it were on one device.
struct TensorMeta {
  Shape shape;
  Shape strides;
  DType dtype = DType::Float32;

  int ndim() const { return static_cast<int>(shape.size()); }
  bool operator==(const TensorMeta&) const = default;
};

std::int64_t elementCount(const Shape& shape);
// Where an element of a shape stands, counted in row-major order: {1, 0} of the third in {2, 2}.
Shape coordinates(const Shape& shape, std::int64_t element);
Shape contiguousStrides(const Shape& shape);
// Strides without gaps whose dimensions lie in memory in the same order as those of `like`.
Shape stridesInOrder(const Shape& shape, const Shape& like);

// How a tensor lies on a mesh: one placement for each mesh dimension, cutting from left to right.
struct Spec {
  MeshPtr mesh;
  Placements placements;
  TensorMeta meta;

  bool operator==(const Spec& other) const {
    return placements == other.placements && meta == other.meta &&
           (mesh == other.mesh || *mesh == *other.mesh);
  }
};

// "f32[10, 3](S(0), R)"
std::string toText(const Spec& spec);

// Refuses what has no meaning: as many placements as mesh dimensions, dimensions that the tensor
// has, one kind of partial (sum and avg may mix). Negative dimensions become the positive ones.
Result<Placements> verifyPlacements(Placements placements, const DeviceMesh& mesh, int ndim);

}  // namespace shardlens
