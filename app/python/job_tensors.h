#pragma once

#include "app/python/job_recorder.h"

#include <pybind11/pybind11.h>

#include <memory_resource>
#include <string>
#include <unordered_map>

namespace shardlens {

// The numbers that a job's recording gives to DTensors. It holds none of them: one that is gone
// gives its number back, and a new one at the same place gets another. One that an operator in
// place lays otherwise is another from then on, by the same name.
class JobTensors {
 public:
  // `describe`: writes how a DTensorSpec lies, and gives its number; 0 for a dtype that recordings
  // do not have.
  JobTensors(JobRecorder& jobs, pybind11::function describe);
  ~JobTensors();
  JobTensors(const JobTensors&) = delete;
  JobTensors& operator=(const JobTensors&) = delete;

  // 0 where recordings do not have it.
  TensorId number(pybind11::handle tensor, const std::string& name);
  // What one that has a number is called.
  const std::string& nameOf(pybind11::handle tensor) const { return known_.at(tensor.ptr()).name; }
  // From now on it is called this.
  void name(pybind11::handle tensor, const std::string& name) { add(tensor, name); }
  // Of the DTensor whose local tensor it is; 0 where that is not known.
  TensorId numberOfLocal(pybind11::handle local) const;

 private:
  struct Known {
    pybind11::object reference;  // weak
    pybind11::object spec;
    PyObject* local = nullptr;
    TensorId number = 0;
    std::string name = {};
  };

  TensorId add(pybind11::handle tensor, const std::string& name);
  SpecId specOf(const pybind11::object& spec);
  void forget(pybind11::handle reference);
  void forgetLocal(const Known& known);

  JobRecorder& jobs_;
  pybind11::function describe_;
  pybind11::object forgetting_;                        // what a weak reference calls
  std::unordered_map<PyObject*, Known> known_;         // by the DTensor
  std::unordered_map<PyObject*, PyObject*> referred_;  // the DTensor of a weak reference
  std::unordered_map<PyObject*, TensorId> locals_;
  // DTensor's caches give out the same specs again, and else equal ones.
  std::pmr::unsynchronized_pool_resource pool_;  // else they cut up the heap between tensors
  std::pmr::unordered_map<PyObject*, SpecId> heldSpecs_{&pool_};  // `specs_` or `held_` has them
  pybind11::dict specs_;
  pybind11::list held_;
};

}  // namespace shardlens
