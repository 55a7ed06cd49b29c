#pragma once

#include "app/python/held.h"

#include <pybind11/pybind11.h>

#include <utility>

namespace shardlens {

// Note [Pickled as a dict]
// The pickled state is a dict of the placement's fields and of the attributes that a subclass has
// added. Unpickling passes the fields to the constructor, so a state with invalid fields is refused
// as invalid arguments are. Protocols 0 and 1 use reduce(), because their default would create the
// object without the constructor.
//
// stateOf() returns that dict; reduce() returns the tuple that __reduce__ returns. Both require the
// GIL.
pybind11::dict stateOf(const pybind11::object& self);
pybind11::tuple reduce(const pybind11::object& self);

// Returns the __getstate__ and __setstate__ of a bound class, for class_::def().
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
