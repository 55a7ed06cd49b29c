#pragma once

#include "core/model/spec.h"

#include <cstddef>
#include <functional>

namespace shardlens {

// Combines values into one hash. Equal specs have equal hashes even if their mesh objects differ. A
// spec's hash covers the mesh's shape, the placements, and the global shape and dtype; it ignores
// strides and the mesh's names and ranks.
class Hasher {
 public:
  std::size_t value() const { return value_; }

  template <class T>
  void mix(const T& item) {
    value_ ^= std::hash<T>{}(item) + 0x9e3779b97f4a7c15ULL + (value_ << 6) + (value_ >> 2);
  }
  void add(const Shape& shape) {
    mix(shape.size());
    for (const auto size : shape) mix(size);
  }
  void add(const Placement& placement);
  void add(const Placements& placements) {
    for (const auto& placement : placements) add(placement);
  }
  void add(const Spec& spec) {
    if (spec.mesh != nullptr) {
      for (const int size : spec.mesh->shape()) mix(size);
    }
    add(spec.placements);
    add(spec.meta.shape);
    mix(static_cast<int>(spec.meta.dtype));
  }

 private:
  std::size_t value_ = 0;
};

// A hash of specs for the maps of the standard library.
struct SpecHash {
  std::size_t operator()(const Spec& spec) const {
    Hasher hasher;
    hasher.add(spec);
    return hasher.value();
  }
};

}  // namespace shardlens
