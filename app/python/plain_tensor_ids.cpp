#include "app/python/plain_tensor_ids.h"

#include <utility>

namespace py = pybind11;

namespace shardlens {
namespace {

std::int64_t integerOf(py::handle number) {
  const std::int64_t value = PyLong_AsLongLong(number.ptr());
  if (value == -1 && PyErr_Occurred() != nullptr) throw py::error_already_set();
  return value;
}

std::vector<std::int64_t> integersOf(const py::object& numbers) {
  std::vector<std::int64_t> values;
  const Py_ssize_t size = PyTuple_GET_SIZE(numbers.ptr());
  values.reserve(static_cast<std::size_t>(size));
  for (Py_ssize_t i = 0; i < size; ++i) {
    values.push_back(integerOf(PyTuple_GET_ITEM(numbers.ptr(), i)));
  }
  return values;
}

}  // namespace

PlainTensorIds::PlainTensorIds(JobRecorder& jobs, py::object wrapper, py::object weak)
    : jobs_(jobs), wrapper_(std::move(wrapper)), weak_(std::move(weak)) {}

bool PlainTensorIds::Geometry::operator==(const Geometry& other) const {
  return offset == other.offset && dtype.is(other.dtype) && shape == other.shape &&
         strides == other.strides;
}

std::int64_t PlainTensorIds::Geometry::count() const { return elementCount(shape); }

std::int64_t PlainTensorIds::Geometry::end() const {
  if (count() == 0) return offset;
  std::int64_t last = offset;
  for (std::size_t i = 0; i < shape.size(); ++i) last += (shape[i] - 1) * strides[i];
  return last + 1;
}

py::object PlainTensorIds::inner(py::handle tensor) const {
  return isOf(tensor, wrapper_) ? py::object(tensor.attr(elementName_))
                                : py::reinterpret_borrow<py::object>(tensor);
}

std::optional<PlainTensorIds::Place> PlainTensorIds::placeOf(py::handle wrapped) const {
  const py::object tensor = inner(wrapped);
  try {
    py::object storage = calledMethod(tensor, storageName_);
    const auto address = py::object(storage.attr(addressName_)).cast<std::uintptr_t>();
    return Place{
        std::move(storage),
        address,
        {integerOf(calledMethod(tensor, offsetName_)), tensor.attr(dtypeName_),
         integersOf(tensor.attr(shapeName_)), integersOf(calledMethod(tensor, strideName_))}};
  } catch (const py::error_already_set& error) {
    // A sparse or nested tensor, a wrapper of functorch, or a class that raises its own exception.
    if (error.matches(PyExc_Exception)) return std::nullopt;
    throw;
  }
}

TensorId PlainTensorIds::number(py::handle tensor, const std::string& name, bool renames) {
  auto place = placeOf(tensor);
  if (!place) return 0;
  auto known = storages_.find(place->address);
  if (known == storages_.end()) {
    if (storages_.size() >= sweepAt_) sweep();
    known = storages_.emplace(place->address, Storage{weak_(place->storage), {}}).first;
  }
  for (Known& each : known->second.tensors) {
    if (!(each.geometry == place->geometry)) continue;
    if (renames && each.name != name) {
      each.number = add(name, each.geometry);
      each.name = name;
    }
    return each.number;
  }
  const TensorId number = add(name, place->geometry);
  known->second.tensors.push_back({std::move(place->geometry), number, name});
  return number;
}

TensorId PlainTensorIds::add(const std::string& name, const Geometry& geometry) {
  return jobs_.plainTensor(name, dtypeText(geometry.dtype), geometry.shape);
}

std::vector<PlainTensorIds::Overlap> PlainTensorIds::overlapping(py::handle tensor) const {
  std::vector<Overlap> found;
  const auto place = placeOf(tensor);
  if (!place) return found;
  const auto known = storages_.find(place->address);
  if (known == storages_.end()) return found;
  const Geometry& written = place->geometry;
  const std::int64_t first = written.first(), end = written.end();
  const bool isDense = end - first == written.count();
  for (const Known& each : known->second.tensors) {
    const bool hasDType = each.geometry.dtype.is(written.dtype);
    const std::int64_t start = each.geometry.first(), last = each.geometry.end();
    if (each.number == 0 || (hasDType && (start >= end || first >= last))) continue;
    found.push_back({each.number, each.name, isDense && hasDType && first <= start && last <= end});
  }
  return found;
}

void PlainTensorIds::sweep() {
  std::erase_if(storages_, [](const auto& entry) {
    return entry.second.weak.attr("expired")().template cast<bool>();
  });
  sweepAt_ = 2 * storages_.size() + kSweepEvery;
}

}  // namespace shardlens
