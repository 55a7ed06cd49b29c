// The extension module _placements: placements as Python classes, with the names and attributes of
// DTensor's. Needs no torch.

#include "app/python/checked.h"
#include "app/python/dtensor_text.h"
#include "app/python/held.h"
#include "app/python/pickled.h"
#include "app/python/raised.h"
#include "core/model/hash.h"
#include "core/model/shard_geometry.h"
#include "shardlens_build.h"

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

namespace py = pybind11;
using namespace pybind11::literals;

namespace shardlens {
namespace {

// Returns the name of a partial's op. A NormPartial sums powers of its partial values, so: "sum".
std::string_view opOf(const Placement& p) {
  return reduceOpName(partialOp(p).value_or(ReduceOp::Sum));
}

py::object equal(const Held& a, const Held& b) {
  if (a.value && b.value) return py::bool_(*a.value == *b.value);
  return py::reinterpret_borrow<py::object>(Py_NotImplemented);
}

py::ssize_t hash(const py::object& self) {
  const auto& value = self.cast<const Held&>().value;
  if (!value) return PyBaseObject_Type.tp_hash(self.ptr());
  Hasher hasher;
  hasher.add(*value);
  return static_cast<py::ssize_t>(hasher.value());
}

template <std::string (*text)(const Placement&)>
py::object written(const py::object& self) {
  const auto& value = self.cast<const Held&>().value;
  if (value) return py::str(text(*value));
  return py::reinterpret_steal<py::object>(PyBaseObject_Type.tp_repr(self.ptr()));
}

py::object parsed(std::string_view text) {
  return std::visit([](auto kind) { return py::cast(hold(std::move(kind))); },
                    orRaise(parsePlacement(text)));
}

bool isShardOf(const Held& self, std::optional<std::int64_t> dim) {
  return self.value && isShard(*self.value) && (!dim || *dim == shardedDim(*self.value));
}

bool isPartialOf(const Held& self, std::optional<std::string_view> op) {
  return self.value && isPartial(*self.value) && (!op || *op == opOf(*self.value));
}

void definePlacement(py::module_& module) {
  py::class_<Held>(
      module, "Placement",
      "The placement of a tensor along one dimension of a device mesh. May be subclassed.")
      .def(py::init<>())
      .def("is_shard", &isShardOf, "dim"_a = py::none(),
           "Returns True for a Shard; with `dim`, only for a Shard of that dimension.")
      .def(
          "is_replicate", [](const Held& self) { return self.value && isReplicate(*self.value); },
          "Returns True for a Replicate.")
      .def("is_partial", &isPartialOf, "reduce_op"_a = py::none(),
           "Returns True for a Partial; with `reduce_op`, only for one with that operation.")
      .def("__eq__", &equal, py::is_operator())
      .def("__hash__", &hash)
      .def("__str__", &written<dtensorStr>)
      .def("__repr__", &written<dtensorRepr>)
      .def("__reduce__", &reduce)
      .def(pickled<Held>());
}

void defineReplicate(py::module_& module) {
  py::class_<HeldKind<Replicate>, Held>(module, "Replicate", "Each rank has a full copy.")
      .def(py::init([] { return hold(Replicate{}); }))
      .def(pickled<HeldKind<Replicate>>());
}

// Converts an object with __index__. Throws TypeError, starting with `what`, for any other.
std::int64_t indexOf(const char* what, const py::object& value) {
  if (PyIndex_Check(value.ptr()) != 0) return value.cast<std::int64_t>();
  throw py::type_error(std::string(what) + ": got " + py::repr(value).cast<std::string>() +
                       ", expected a whole number");
}

void defineShard(py::module_& module) {
  using Self = HeldKind<Shard>;
  py::class_<Self, Held>(module, "Shard", "Each rank has one contiguous chunk of a dimension.")
      .def(py::init([](const py::object& dim) {
             return hold(orRaise(checkedShard(indexOf("Shard: dim", dim))));
           }),
           "dim"_a)
      .def_property_readonly(
          "dim", [](const Self& self) { return kindOf(self).dim; }, "The sharded dimension.")
      .def_static(
          "local_shard_size_and_offset",
          [](std::int64_t size, int chunks, int rank) {
            if (size < 0 || rank < 0 || rank >= chunks) {
              throw py::value_error("local_shard_size_and_offset: got rank " +
                                    std::to_string(rank) + " of " + std::to_string(chunks) +
                                    " chunks of " + std::to_string(size) +
                                    ", expected a rank that has one");
            }
            const Chunk chunk = chunkOf(size, chunks, rank);
            return std::pair(chunk.length, chunk.begin);
          },
          "curr_local_size"_a, "num_chunks"_a, "rank"_a,
          "Returns the size and the offset of a rank's chunk, for a dimension of this size.")
      .def(pickled<Self>());
}

void defineStridedShard(py::module_& module) {
  using Self = HeldKind<StridedShard>;
  py::class_<Self, Held>(module, "StridedShard",
                         "The dimension is split into split_factor pieces, and each rank has its "
                         "chunk of each piece. Not a subclass of Shard.")
      .def(
          py::init([](const py::object& dim, const py::object& factor) {
            return hold(orRaise(checkedStridedShard(
                indexOf("StridedShard: dim", dim), indexOf("StridedShard: split_factor", factor))));
          }),
          "dim"_a, py::kw_only(), "split_factor"_a)
      .def_property_readonly(
          "dim", [](const Self& self) { return kindOf(self).dim; }, "The sharded dimension.")
      .def_property_readonly(
          "split_factor", [](const Self& self) { return kindOf(self).splitFactor; },
          "The number of pieces that are sharded separately.")
      .def(pickled<Self>());
}

void definePartial(py::module_& module) {
  using Self = HeldKind<Partial>;
  py::class_<Self, Held> partial(module, "Partial",
                                 "Each rank has a partial value; the tensor is their reduction.");
  // As in torch: the ops of an all-reduce, and the linear ones. Under a linear op each partial
  // value may be multiplied before the reduction.
  partial.attr("ALL_REDUCE_OPS") = py::make_tuple("sum", "avg", "min", "max", "product");
  partial.attr("LINEAR_REDUCE_OPS") = py::make_tuple("sum", "avg");
  partial
      .def(py::init([](const std::optional<std::string>& op, std::optional<double> factor) {
             return hold(orRaise(checkedPartial(op, factor)));
           }),
           "reduce_op"_a = py::none(), py::kw_only(), "factor"_a = py::none())
      .def_property_readonly(
          "reduce_op", [](const Self& self) { return opOf(valueOf(self)); },
          "The reduction of the partial values: sum, avg, max, ...")
      .def_property_readonly(
          "factor",
          [](const Self& self) {
            const auto* partial = std::get_if<Partial>(&valueOf(self));
            return partial != nullptr ? partial->factor : 1.0;
          },
          "The factor of each partial value under premul_sum; 1 otherwise.")
      .def(pickled<Self>());
}

void defineNormPartial(py::module_& module) {
  using Self = HeldKind<NormPartial>;
  py::class_<Self, HeldKind<Partial>>(module, "NormPartial",
                                      "Each rank has a partial value of a p-norm.")
      .def(py::init([](double norm) { return hold(orRaise(checkedNormPartial(norm))); }),
           "norm_type"_a = 2.0)
      .def_property_readonly(
          "norm_type", [](const Self& self) { return kindOf(self).norm; }, "The p of the norm.")
      .def(pickled<Self>());
}

void defineMaskPartial(py::module_& module) {
  using Self = HeldKind<MaskPartial>;
  py::class_<Self, HeldKind<Partial>>(
      module, "MaskPartial",
      "The result of a lookup in a table of offset_shape that is sharded along offset_dim. Each "
      "rank "
      "has the rows that it owns; its other rows are masked. The tensor has the mask, not this "
      "object.")
      .def(py::init(
               [](const std::optional<std::string>& op, const std::optional<Shape>& shape,
                  std::int64_t dim) { return hold(orRaise(checkedMaskPartial(op, shape, dim))); }),
           "reduce_op"_a = py::none(), py::kw_only(), "offset_shape"_a = py::none(),
           "offset_dim"_a = 0)
      .def_property_readonly(
          "offset_shape",
          [](const Self& self) { return py::tuple(py::cast(kindOf(self).offsetShape)); },
          "The shape of the table.")
      .def_property_readonly(
          "offset_dim", [](const Self& self) { return kindOf(self).offsetDim; },
          "The sharded dimension of the table.")
      .def(pickled<Self>());
}

}  // namespace

PYBIND11_MODULE(_placements, module) {
  // Pickles name the public package, not this module.
  module.attr("__module__") = "shardlens";
  module.attr("__version__") = std::string(kVersion);
  definePlacement(module);
  defineReplicate(module);
  defineShard(module);
  defineStridedShard(module);
  definePartial(module);
  defineNormPartial(module);
  defineMaskPartial(module);
  module.def(
      "parse_placement", &parsed, "text"_a,
      "Returns the placement of a text such as \"S(0)\" or \"SS(0, 2)\", or of the str() form.");
}

}  // namespace shardlens
