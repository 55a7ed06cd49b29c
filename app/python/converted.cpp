#include "app/python/converted.h"

#include "app/python/held.h"
#include "app/python/raised.h"

#include <string>

namespace py = pybind11;

namespace shardlens {

Placement placementOf(py::handle object) {
  if (py::isinstance<Held>(object)) return valueOf(object.cast<const Held&>());
  return orRaise(parsePlacement(py::str(object).cast<std::string>()));
}

Placements placementsOf(py::handle sequence) {
  Placements placements;
  for (const auto& each : sequence) placements.push_back(placementOf(each));
  return placements;
}

py::object objectOf(Placement placement) {
  return std::visit([](auto&& kind) { return py::cast(hold(std::move(kind))); },
                    std::move(placement));
}

py::tuple objectsOf(const Placements& placements) {
  py::tuple objects(placements.size());
  for (std::size_t i = 0; i < placements.size(); ++i) objects[i] = objectOf(placements[i]);
  return objects;
}

}  // namespace shardlens
