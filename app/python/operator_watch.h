#pragma once

#include "app/python/job_recorder.h"
#include "app/python/job_tensors.h"

#include <pybind11/pybind11.h>

#include <string>
#include <unordered_map>
#include <vector>

namespace shardlens {

// What a TorchDispatchMode of Python's is made of: each operator comes here, with no line of Python
// where nothing is new. DTensor's are recorded, with their inputs, the look-up and what came of
// them; collectives that the program calls go to who knows these; all others run as they would. It
// knows torch by its Python objects alone, and is therefore of no particular torch.
class OperatorWatch {
 public:
  // Of torch and of the recording, what is asked and who is told.
  struct Parts {
    pybind11::object dtensor;                            // the class
    pybind11::function gradientNode, nextNode, lookups;  // of autograd and of the cache
    pybind11::function collective;  // runs and records one: (func, args, kwargs)
    pybind11::function value;       // of a tensor: its number and local tensor
    pybind11::function failed;      // an operator by this exception
    pybind11::set namespaces;       // of collectives
    pybind11::list running;         // names of operators, the innermost last
  };

  OperatorWatch(JobRecorder& jobs, JobTensors& tensors, Parts parts);

  // As __torch_dispatch__.
  pybind11::object dispatch(const pybind11::object& func, const pybind11::tuple& types,
                            const pybind11::tuple& args, const pybind11::object& kwargs);
  // From now on all run as they would.
  void stop() { isOn_ = false; }
  // The cache of strategies had no answer to this, which the operator that runs asked.
  void missed(std::string question) { question_ = std::move(question); }
  // The program made this DTensor beside all operators, by this name.
  void made(pybind11::handle tensor, const std::string& name);
  // A redistribution made it, of this source.
  void moved(pybind11::handle tensor, pybind11::handle source);
  // The program goes on with what this rank has of a DTensor.
  void read(pybind11::handle tensor);
  // Before the event of a call that the program, or autograd for it, makes.
  void tellAutograd();

 private:
  struct Operator {
    pybind11::object func;  // which keeps its place
    std::string name;       // "aten.add.Tensor"
    pybind11::object word;  // "add"
    std::string wordText;
    std::vector<std::size_t> written;  // of one that returns nothing, the arguments it writes into
    bool isCollective = false;
  };

  const Operator& describe(const pybind11::object& func);
  bool isDTensor(pybind11::handle object) const;
  void addInputs(pybind11::handle values, std::vector<TensorId>& numbers);
  void tellLookup(const pybind11::object& before);
  void tellResults(const Operator& op, pybind11::handle result);
  void tellResult(pybind11::handle made, const std::string& name);

  JobRecorder& jobs_;
  JobTensors& tensors_;
  Parts parts_;
  bool isOn_ = true;
  std::string question_;
  std::unordered_map<PyObject*, Operator> operators_;
  std::vector<TensorId> inputs_;
};

}  // namespace shardlens
