#pragma once

#include "app/python/job_recorder.h"
#include "app/python/python_objects.h"

#include <pybind11/pybind11.h>

#include <array>
#include <cstddef>
#include <memory_resource>
#include <string>
#include <unordered_map>

namespace shardlens {

// A map from torch's DTensor objects to their ids in a job's recording. Holds weak references: the
// entry of a destroyed DTensor is removed, and a new one at the same address gets a new id. A
// DTensor whose spec was changed by an in-place operator gets a new id with the same name. All
// functions require the GIL.
class JobTensors {
 public:
  // Keeps a reference to `jobs`, which must outlive it. `describe(spec)` records a DTensorSpec and
  // returns its SpecId, or 0 if recordings have no such dtype.
  JobTensors(JobRecorder& jobs, pybind11::function describe);
  ~JobTensors();
  JobTensors(const JobTensors&) = delete;
  JobTensors& operator=(const JobTensors&) = delete;

  // Returns the id of a DTensor. Registers it under `name` if it is new. Returns 0 if recordings
  // have no such dtype.
  TensorId number(pybind11::handle tensor, const std::string& name);
  // Throws std::out_of_range if the DTensor has no id.
  const std::string& nameOf(pybind11::handle tensor) const { return known_.at(tensor.ptr()).name; }
  // Renames a DTensor, which gets a new id.
  void name(pybind11::handle tensor, const std::string& name) { add(tensor, name); }
  // Drops the weak reference to a DTensor while torch.utils.swap_tensors() runs, which refuses
  // tensors that have one. Does nothing for an unknown object. The caller keeps it alive until
  // restore().
  void release(pybind11::handle tensor);
  // Ends release(). The DTensor keeps its name and gets a new id, because the call has replaced its
  // content.
  void restore(pybind11::handle tensor);
  // Gives every DTensor a new id at its next number(), with the same name, because operators that
  // were not recorded may have written to it.
  void renew();
  // Returns the id of the DTensor that has this local tensor, or 0 if it is unknown.
  TensorId numberOfLocal(pybind11::handle local) const;

 private:
  struct Known {
    pybind11::object reference;  // weak
    pybind11::object spec;  // null after restore() and renew(): the next number() makes a new id
    PyObject* local = nullptr;  // owned by the DTensor
    TensorId number = 0;
    std::string name = {};
  };

  TensorId add(pybind11::handle tensor, const std::string& name);
  SpecId specOf(const pybind11::object& spec);
  SpecId describe(const pybind11::object& spec);
  static PyObject* onDestroyed(PyObject* self, PyObject* reference);
  void refer(pybind11::handle tensor, Known& known);
  void forget(pybind11::handle reference);
  void forgetLocal(const Known& known);

  JobRecorder& jobs_;
  pybind11::function describe_;
  pybind11::object specName_ = attributeName("_spec");
  pybind11::object localName_ = attributeName("_local_tensor");
  pybind11::object onDestroyed_;                       // the callback of all weak references
  std::unordered_map<PyObject*, Known> known_;         // by the DTensor
  std::unordered_map<PyObject*, PyObject*> referred_;  // the DTensor of a weak reference
  std::unordered_map<PyObject*, TensorId> locals_;     // by the local tensor
  // Ids of specs, cached by value, and those of the specs seen last also by address: DTensor's own
  // caches return the same objects again. Owns few objects, because each one that stays alive adds
  // to the work of Python's garbage collector.
  pybind11::dict specs_;                         // spec -> SpecId
  std::pmr::unsynchronized_pool_resource pool_;  // keeps small nodes from fragmenting the heap
  std::pmr::unordered_map<PyObject*, SpecId> recentIds_{&pool_};
  std::array<pybind11::object, 1024> recent_;  // owns the keys of recentIds_
  std::size_t oldest_ = 0;                     // the place in recent_ that is replaced next
};

}  // namespace shardlens
