#include "app/python/pickled.h"

#include <pybind11/stl.h>

namespace py = pybind11;
using namespace pybind11::literals;

namespace shardlens {
namespace {

// A visitor that returns a placement's fields, named as the arguments of its constructor.
struct Fields {
  py::dict operator()(const Replicate&) const { return {}; }
  py::dict operator()(const Shard& p) const { return py::dict("dim"_a = p.dim); }
  py::dict operator()(const StridedShard& p) const {
    return py::dict("dim"_a = p.dim, "split_factor"_a = p.splitFactor);
  }
  py::dict operator()(const Partial& p) const {
    py::dict fields("reduce_op"_a = reduceOpName(p.op));
    if (p.op == ReduceOp::PremulSum) fields["factor"] = p.factor;
    return fields;
  }
  py::dict operator()(const NormPartial& p) const { return py::dict("norm_type"_a = p.norm); }
  py::dict operator()(const MaskPartial& p) const {
    return py::dict("reduce_op"_a = reduceOpName(p.op),
                    "offset_shape"_a = py::tuple(py::cast(p.offsetShape)),
                    "offset_dim"_a = p.offsetDim);
  }
};

}  // namespace

py::dict stateOf(const py::object& self) {
  const auto& value = self.cast<const Held&>().value;
  py::dict state = value ? std::visit(Fields{}, *value) : py::dict();
  const py::dict added = py::getattr(self, "__dict__", py::dict());
  for (const auto& [name, item] : added) state[name] = item;
  return state;
}

py::tuple reduce(const py::object& self) {
  return py::make_tuple(py::module_::import("copyreg").attr("__newobj__"),
                        py::make_tuple(py::type::of(self)), self.attr("__getstate__")());
}

}  // namespace shardlens
