#pragma once

#include "app/python/hooks.h"
#include "app/python/job_recorder.h"
#include "app/python/plain_tensor_ids.h"

#include <pybind11/pybind11.h>

#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace shardlens {

// Records the operators on plain tensors with their arguments and results: see PlainCall. It runs
// no Python code of this package for operators that are neither collectives nor random. All
// functions require the GIL, and throw what the Python objects raise.
class PlainOperators {
 public:
  // Classes and functions of Python.
  struct Parts {
    pybind11::object tensor, dtype, device, generator;  // classes of torch
    pybind11::object pointwise, seeded;                 // tags of operators
    pybind11::set namespaces;                           // of collectives
    pybind11::set waits;                                // operators of these that send nothing
    pybind11::object isWatched;  // a WatchedThread; operators of other threads are not recorded
    // Begins the event of a collective: (func, name, args, kwargs). Returns its id and the tensors
    // that it fills.
    pybind11::function beginCollective;
    // Receives a collective of c10d that may be running: (result, ids of the tensors that it
    // fills).
    pybind11::function collectiveBegan;
    pybind11::function random;  // records the state of the generator: (func, args, kwargs)
  };
  // Keeps references to `jobs` and `tensors`, which must outlive it.
  PlainOperators(JobRecorder& jobs, PlainTensorIds& tensors, Parts parts);

  // Records no operators while off, as during the step of an optimizer.
  void setOn(bool isOn) { isOn_ = isOn; }
  bool isOn() const { return isOn_; }

  struct Operator;
  // An operator that runs.
  struct Call {
    const Operator* op;
    EventId event;
    std::vector<pybind11::object> written;  // the tensors that it writes
  };
  // Begins the event of an operator. Returns nullopt if it is not recorded; else the caller has to
  // end the event.
  std::optional<Call> begin(const pybind11::object& func, const pybind11::tuple& args,
                            const pybind11::object& kwargs);
  // Records the results of an operator, first those that it returned.
  void finish(const Call& call, pybind11::handle result);

  struct Argument {
    pybind11::object name, usual;  // `usual`: its default
    std::string key;               // "\"dim\":"
    bool isWritten = false;
  };
  // What is known of an operator.
  struct Operator {
    pybind11::object func;  // keeps its address valid
    std::string name, word;
    std::vector<Argument> arguments;
    bool isIgnored = false, isCollective = false, isOfC10d = false;
    bool isPointwise = false, isSeeded = false;
  };

 private:
  const Operator& describe(const pybind11::object& func);
  Call beginCollective(const Operator& op, const pybind11::tuple& args,
                       const pybind11::object& kwargs);
  bool isTensor(pybind11::handle value) const;
  void addTensors(pybind11::handle value, std::vector<pybind11::object>& tensors) const;
  // Appends an argument to `detail` as JSON, and the ids of its tensors to `inputs`.
  void addArgument(pybind11::handle value, std::vector<TensorId>& inputs, std::string& detail);
  void record(pybind11::handle tensor, const std::string& word, std::vector<TensorId>& seen);

  JobRecorder& jobs_;
  PlainTensorIds& tensors_;
  Parts parts_;
  const WatchedThread& thread_;  // Parts::isWatched
  pybind11::object sizeName_ = attributeName("nbytes");
  bool isOn_ = true;
  std::unordered_map<PyObject*, Operator> operators_;
};

}  // namespace shardlens
