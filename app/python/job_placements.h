#pragma once

#include "core/model/placement.h"
#include "core/trace/records/recorded_placements.h"

#include <pybind11/pybind11.h>

#include <cstdint>
#include <memory_resource>
#include <unordered_map>

namespace shardlens {

// A cache of the placements of torch's DTensor as recordings have them, by the identity of the
// Python objects: DTensor uses the same objects again, in new tuples. Owns the cached objects, so
// that addresses stay valid; drops all at 1,000. All functions require the GIL.
class JobPlacements {
 public:
  // Returns a placement: its value, or only its str() as text if recordings do not know it.
  RecordedPlacements of(pybind11::handle placement) { return known(placement).recorded; }
  // Returns the placements of an iterable in order, or only their text if recordings do not know
  // one of them.
  RecordedPlacements list(pybind11::handle placements);
  // Returns the number of a placement. Equal objects may have several numbers, but no number is
  // given twice.
  std::uint64_t numberOf(pybind11::handle placement) { return known(placement).number; }
  // Returns the mask of a MaskPartial, or a default MaskPartial for any other placement.
  MaskPartial mask(pybind11::handle placement);

 private:
  struct Known {
    pybind11::object object;
    RecordedPlacements recorded = {};
    MaskPartial mask = {};
    std::uint64_t number = 0;
  };
  const Known& known(pybind11::handle placement);
  RecordedPlacements textOf(pybind11::handle placements);

  std::pmr::unsynchronized_pool_resource pool_;  // keeps small nodes from fragmenting the heap
  std::pmr::unordered_map<PyObject*, Known> placements_{&pool_};
  std::uint64_t numbers_ = 0;  // given out
};

}  // namespace shardlens
