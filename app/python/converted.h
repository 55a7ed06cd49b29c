#pragma once

#include "core/model/placement.h"

#include <pybind11/pybind11.h>

namespace shardlens {

// Conversions between objects of Python's Placement classes and the engine's placements. All
// require the GIL.

// Returns the placement of a Placement object. Parses str() of any other object, so placements of
// torch.distributed.tensor are accepted too. Throws ValueError if that text is no placement, and
// RuntimeError for a Placement object whose __init__ never ran.
Placement placementOf(pybind11::handle object);
Placements placementsOf(pybind11::handle sequence);  // any iterable, else TypeError
// Returns a new object of the Python class of the placement's kind.
pybind11::object objectOf(Placement placement);
pybind11::tuple objectsOf(const Placements& placements);

}  // namespace shardlens
