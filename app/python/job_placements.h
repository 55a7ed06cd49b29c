#pragma once

#include "core/model/placement.h"

#include <pybind11/pybind11.h>

#include <memory_resource>
#include <string>
#include <unordered_map>

namespace shardlens {

// The placements of torch's DTensor in the notation of recordings, cached by the identity of the
// Python objects: DTensor's own caches return the same objects again. Owns the cached objects, so
// that addresses stay valid. All functions require the GIL.
class JobPlacements {
 public:
  // Returns the notation of a placement, as "S(0)". Returns str() of a placement that recordings do
  // not know.
  std::string text(pybind11::handle placement) { return of(placement).text; }
  // Returns "S(0)", or "(S(0), R)" for several placements. Caches tuples only, because other
  // iterables may change.
  std::string listText(pybind11::handle placements);
  // Returns the mask of a MaskPartial. Returns an empty one for any other placement.
  MaskPartial mask(pybind11::handle placement);

 private:
  struct Known {
    pybind11::object object;
    std::string text;
    MaskPartial mask = {};
  };
  using Cache = std::pmr::unordered_map<PyObject*, Known>;

  const Known& of(pybind11::handle placement);

  std::pmr::unsynchronized_pool_resource pool_;  // keeps small nodes from fragmenting the heap
  Cache placements_{&pool_};
  Cache tuples_{&pool_};
};

}  // namespace shardlens
