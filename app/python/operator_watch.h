#pragma once

#include "app/python/job_recorder.h"
#include "app/python/job_tensors.h"
#include "app/python/plain_operators.h"

#include <pybind11/pybind11.h>

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace shardlens {

// Returns true if the elements of a tensor fill their memory once, in any order, as those of a
// transposed tensor.
bool isDense(const Shape& shape, const std::vector<std::int64_t>& strides);

// The C++ base of a TorchDispatchMode that records the operators of a job. It handles each operator
// without running Python code of this package, unless a callback in Parts is needed:
// - Operators on DTensors are recorded with their inputs, cache lookup and results.
// - Collectives that the program calls on plain tensors go to Parts::collective.
// - Operators on plain tensors, collectives among them, are recorded after recordPlain().
// - All other operators, higher-order operators among them, run unchanged.
// In steps whose operators are not recorded, only collectives are.
// An exception of the recorder never reaches the job: it goes to Parts::broken and ends recording
// of operators. It accesses torch only through Python objects, so it does not depend on a version
// of torch. All functions require the GIL.
class OperatorWatch {
 public:
  // Objects and callbacks of Python.
  struct Parts {
    pybind11::object dtensor;  // the class DTensor
    // lookups() returns the strategy cache's (hits, misses). None if this torch does not count
    // them.
    pybind11::object lookups;
    pybind11::function collective;  // runs and records a collective: (func, args, kwargs)
    pybind11::object tensor;        // the class torch.Tensor
    pybind11::function value;   // records a value that is not in plain memory: (id, local tensor)
    pybind11::function failed;  // records the exception of an operator
    pybind11::function broken;  // records a failure of the recorder: (message)
    pybind11::set namespaces;   // of collectives, as "c10d"
    pybind11::list running;     // names of the operators that run, the innermost last
    bool keepsElements;         // elements or hashes are recorded: their order matters
  };

  // Keeps references to `jobs` and `tensors`, which must outlive it.
  OperatorWatch(JobRecorder& jobs, JobTensors& tensors, Parts parts);

  // Implements __torch_dispatch__: runs `func`, records it as above and returns its result. Passes
  // on exceptions of `func` and of Parts::collective.
  pybind11::object dispatch(const pybind11::object& func, const pybind11::object& types,
                            const pybind11::tuple& args, const pybind11::object& kwargs);
  // Also records the operators on plain tensors from now on. `plain` is a PlainOperators.
  void recordPlain(pybind11::object plain);
  // Returns dispatch() of the OperatorWatch `self` as a bound function of CPython, because torch
  // calls it for each operator, and a function of pybind11 costs more. It has no keywords.
  static pybind11::object dispatcher(pybind11::handle self);
  // Ends recording for good; dispatch() only runs operators from then on.
  void stop() { isOn_ = false; }
  // Reports that DTensor's strategy cache missed in the operator that runs; `key` is its key.
  void missed(JobRecorder::CacheKey key) { missedKey_ = std::move(key); }
  // Records a DTensor that the program made outside of any operator, as by from_local(). Ignores
  // other objects.
  void made(pybind11::handle tensor, const std::string& name);
  // Records the result of a redistribution; names it after `source` with a prime added. Ignores a
  // `source` whose dtype recordings do not have.
  void moved(pybind11::handle tensor, pybind11::handle source);
  // Records that the program reads its rank's local tensor, as an operator "to_local".
  void read(pybind11::handle tensor);

 private:
  // What is known of an operator, by the address of its Python object.
  struct Operator {
    pybind11::object func;      // keeps the address valid
    pybind11::object function;  // what to call instead of `func`
    std::string name;           // "aten.add.Tensor"
    pybind11::object word;      // "add"
    std::string wordText;
    std::vector<std::size_t> written;  // if it returns nothing: indices of arguments it writes
    bool isCollective = false;         // communicates in a process group
  };

  // A recorded operator that runs.
  struct Call {
    const Operator& op;
    EventId event;
    pybind11::object lookups;  // (hits, misses) before it
  };

  // `function`: what to call instead of `func`, unless the operator is a collective.
  pybind11::object runPlain(const pybind11::object& func, pybind11::handle function,
                            const pybind11::tuple& args, const pybind11::object& kwargs,
                            bool isCollective);
  // Runs an operator of a step whose operators are not recorded. It begins the step if it would be
  // recorded in another one, so that steps have the same numbers.
  pybind11::object runUnrecorded(const pybind11::object& func, const pybind11::object& types,
                                 const pybind11::tuple& args, const pybind11::object& kwargs);
  // Returns false, and begins the announced step, if its operators are not recorded.
  bool isRecorded();
  // Calls record(). If it throws, reports that the recorder is broken, and stops.
  template <class Record>
  void guarded(const Record& record);
  void giveUp(const std::string& why);
  bool hasDTensor(const pybind11::object& types) const;
  static PyObject* onDispatch(PyObject* self, PyObject* const* args, Py_ssize_t count);
  Call begin(const Operator& op, const pybind11::tuple& args);
  void recordCall(const Call& call, const pybind11::tuple& args, pybind11::handle result);
  const Operator& describe(const pybind11::object& func);
  bool isDTensor(pybind11::handle object) const;
  void addInputs(pybind11::handle values, std::vector<TensorId>& numbers);
  pybind11::object lookups() const;
  void recordLookup(const pybind11::object& before);
  void recordResults(const Operator& op, pybind11::handle result);
  void recordResult(pybind11::handle made, const std::string& name);
  bool hasMemory(pybind11::handle local, std::size_t bytes) const;
  bool recordPlainValue(TensorId number, pybind11::handle local, std::size_t bytes);

  JobRecorder& jobs_;
  JobTensors& tensors_;
  Parts parts_;
  pybind11::object localName_ = attributeName("_local_tensor");
  pybind11::object sizeName_ = attributeName("nbytes");
  pybind11::object shapeName_ = attributeName("shape");
  pybind11::object strideName_ = attributeName("stride");
  pybind11::object isOnCpuName_ = attributeName("is_cpu");
  pybind11::object isContiguousName_ = attributeName("is_contiguous");
  pybind11::object isConjugateName_ = attributeName("is_conj");
  pybind11::object isNegatedName_ = attributeName("is_neg");
  pybind11::object addressName_ = attributeName("data_ptr");
  pybind11::object offsetName_ = attributeName("storage_offset");
  pybind11::object itemSizeName_ = attributeName("itemsize");
  pybind11::object storageName_ = attributeName("untyped_storage");
  bool isOn_ = true;
  pybind11::object plainOwner_;
  PlainOperators* plain_ = nullptr;  // null: plain tensors are not recorded
  JobRecorder::CacheKey missedKey_;  // key of the last cache miss in the running operator, or empty
  std::unordered_map<PyObject*, Operator> operators_;
  std::vector<TensorId> inputs_;  // reused between calls
};

}  // namespace shardlens
