#pragma once

#include "core/model/spec.h"

#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace shardlens {

// Parses placements that are separated by spaces, with no spaces inside: "S(0) SS(0,2) R". Throws
// if one is invalid.
inline Placements placementsOf(const std::string& written) {
  Placements placements;
  std::istringstream words(written);
  for (std::string word; words >> word;) placements.push_back(parsePlacement(word).value());
  return placements;
}

// Returns a mesh of this shape. Throws if the shape is invalid.
inline MeshPtr meshOf(std::vector<int> shape) {
  return std::make_shared<const DeviceMesh>(DeviceMesh::make(std::move(shape)).value());
}

// Returns a spec with contiguous strides; `placements` as placementsOf() parses them.
inline Spec specOf(const MeshPtr& mesh, const Shape& shape, const std::string& placements,
                   DType dtype = DType::Float32) {
  return {mesh, placementsOf(placements), {shape, contiguousStrides(shape), dtype}};
}

}  // namespace shardlens
