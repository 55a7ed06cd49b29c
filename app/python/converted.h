#pragma once

#include "core/model/placement.h"

#include <pybind11/pybind11.h>

namespace shardlens {

// Objects of Python's Placement classes and the engine's placements. What is no placement of ours
// is read as text, so that those of torch.distributed.tensor are taken too.
Placement placementOf(pybind11::handle object);
Placements placementsOf(pybind11::handle sequence);
pybind11::object objectOf(Placement placement);
pybind11::tuple objectsOf(const Placements& placements);

}  // namespace shardlens
