#pragma once

#include "app/python/held.h"

#include <pybind11/pybind11.h>

#include <utility>

namespace shardlens {

// Note [Pickled as a dict]
// The state is what a Python object's own would be: a dict of the placement's fields, and of what a
// subclass has added to them. Read back, the fields are the constructor's arguments, so a state is
// refused where they would be. reduce() is for protocols 0 and 1, which would otherwise make the
// object behind the constructor's back.
pybind11::dict stateOf(const pybind11::object& self);
pybind11::tuple reduce(const pybind11::object& self);

// Defines both directions of the state of a bound class.
template <class Class>
auto pickled() {
  namespace py = pybind11;
  return py::pickle(&stateOf, [](const py::dict& state) {
    const auto type = py::type::of<Class>();
    py::dict fields, added;
    for (const auto& [name, value] : state) {
      (py::hasattr(type, name) ? fields : added)[name] = value;
    }
    return std::pair(type(**fields).template cast<Class>(), added);
  });
}

}  // namespace shardlens
