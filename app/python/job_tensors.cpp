#include "app/python/job_tensors.h"

#include <utility>

namespace py = pybind11;

namespace shardlens {

// The callback is a function of CPython, because it is called for each DTensor of the job.
JobTensors::JobTensors(JobRecorder& jobs, py::function describe)
    : jobs_(jobs), describe_(std::move(describe)) {
  static PyMethodDef method{"forget", &JobTensors::onDestroyed, METH_O, nullptr};
  const py::capsule self(this);
  onDestroyed_ = py::reinterpret_steal<py::object>(PyCFunction_New(&method, self.ptr()));
}

// Destroys the weak references first, so that none calls back into a destroyed object.
JobTensors::~JobTensors() {
  known_.clear();
  referred_.clear();
}

TensorId JobTensors::number(py::handle tensor, const std::string& name) {
  const auto known = known_.find(tensor.ptr());
  if (known == known_.end()) return add(tensor, name);
  const auto spec = py::object(tensor.attr(specName_));
  const Known& found = known->second;
  if (found.spec && (spec.is(found.spec) || specOf(spec) == specOf(found.spec))) {
    return found.number;
  }
  return add(tensor, std::string(found.name));
}

TensorId JobTensors::numberOfLocal(py::handle local) const {
  const auto found = locals_.find(local.ptr());
  return found == locals_.end() ? 0 : found->second;
}

TensorId JobTensors::add(py::handle tensor, const std::string& name) {
  auto spec = py::object(tensor.attr(specName_));
  const SpecId specId = specOf(spec);
  if (specId == 0) return 0;
  const TensorId number = jobs_.tensor(name, specId);
  PyObject* const local = py::object(tensor.attr(localName_)).ptr();  // the DTensor keeps it alive
  Known& known = known_[tensor.ptr()];
  if (!known.reference) refer(tensor, known);
  if (known.local != local) forgetLocal(known);
  known.spec = std::move(spec);
  known.local = local;
  known.number = number;
  known.name = name;
  locals_[local] = number;
  return number;
}

void JobTensors::refer(py::handle tensor, Known& known) {
  known.reference =
      py::reinterpret_steal<py::object>(PyWeakref_NewRef(tensor.ptr(), onDestroyed_.ptr()));
  if (!known.reference) throw py::error_already_set();
  referred_[known.reference.ptr()] = tensor.ptr();
}

void JobTensors::release(py::handle tensor) {
  const auto found = known_.find(tensor.ptr());
  if (found == known_.end()) return;
  Known& known = found->second;
  forgetLocal(known);
  referred_.erase(known.reference.ptr());
  known.reference = {};
  known.spec = {};
  known.local = nullptr;
}

void JobTensors::restore(py::handle tensor) {
  const auto found = known_.find(tensor.ptr());
  if (found != known_.end()) refer(tensor, found->second);
}

void JobTensors::renew() {
  locals_.clear();
  for (auto& [tensor, known] : known_) {
    known.spec = {};
    known.local = nullptr;
  }
}

PyObject* JobTensors::onDestroyed(PyObject* self, PyObject* reference) {
  static_cast<JobTensors*>(PyCapsule_GetPointer(self, nullptr))->forget(reference);
  return Py_NewRef(Py_None);
}

void JobTensors::forget(py::handle reference) {
  const auto referred = referred_.find(reference.ptr());
  if (referred == referred_.end()) return;
  const auto known = known_.find(referred->second);
  referred_.erase(referred);
  if (known == known_.end()) return;
  forgetLocal(known->second);
  known_.erase(known);
}

// Keeps the entry if another DTensor has registered the same local tensor since.
void JobTensors::forgetLocal(const Known& known) {
  const auto local = locals_.find(known.local);
  if (local != locals_.end() && local->second == known.number) locals_.erase(local);
}

SpecId JobTensors::specOf(const py::object& spec) {
  const auto recent = recentIds_.find(spec.ptr());
  if (recent != recentIds_.end()) return recent->second;
  const SpecId id = describe(spec);
  py::object& place = recent_[oldest_++ % recent_.size()];
  if (place) recentIds_.erase(place.ptr());
  recentIds_[spec.ptr()] = id;
  place = spec;
  return id;
}

SpecId JobTensors::describe(const py::object& spec) {
  constexpr std::size_t kMostHeld = 10'000;  // the cache is cleared at this size
  if (PyObject* const known = PyDict_GetItemWithError(specs_.ptr(), spec.ptr()); known != nullptr) {
    return py::handle(known).cast<SpecId>();
  }
  if (PyErr_Occurred() != nullptr) throw py::error_already_set();
  if (specs_.size() >= kMostHeld) specs_.clear();
  const py::object id = describe_(spec);
  specs_[spec] = id;
  return id.cast<SpecId>();
}

}  // namespace shardlens
