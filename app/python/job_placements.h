#pragma once

#include "core/model/placement.h"
#include "core/trace/records/recorded_placements.h"

#include <pybind11/pybind11.h>

#include <cstdint>
#include <memory_resource>
#include <unordered_map>

namespace shardlens {

// A cache of the placements of torch's DTensor as recordings have them, by the identity of the
// Python objects: DTensor's own caches return the same objects again. Owns the cached objects, so
// that addresses stay valid; drops all of a kind at 1,000. All functions require the GIL.
class JobPlacements {
 public:
  // Returns a placement: its value, or only its str() as text if recordings do not know it.
  RecordedPlacements of(pybind11::handle placement) { return known(placement).recorded; }
  // Returns the placements of an iterable in order, or only their text if recordings do not know
  // one of them. Caches tuples only, because other iterables may change.
  RecordedPlacements list(pybind11::handle placements);
  // Returns the number of a placement, or of a tuple of placements. Equal objects may have several
  // numbers, but no number is given twice.
  std::uint64_t numberOf(pybind11::handle placement) { return known(placement).number; }
  std::uint64_t numberOfTuple(const pybind11::tuple& placements);
  // Returns the mask of a MaskPartial, or a default MaskPartial for any other placement.
  MaskPartial mask(pybind11::handle placement);

 private:
  struct Known {
    pybind11::object object;
    RecordedPlacements recorded = {};
    MaskPartial mask = {};
    std::uint64_t number = 0;
  };
  using Cache = std::pmr::unordered_map<PyObject*, Known>;

  const Known& known(pybind11::handle placement);

  std::pmr::unsynchronized_pool_resource pool_;  // keeps small nodes from fragmenting the heap
  Cache placements_{&pool_};
  Cache tuples_{&pool_};
  std::uint64_t numbers_ = 0;  // given out
};

}  // namespace shardlens
