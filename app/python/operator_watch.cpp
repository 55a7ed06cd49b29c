#include "app/python/operator_watch.h"

#include <pybind11/stl.h>

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>

namespace py = pybind11;

namespace shardlens {
namespace {

py::object called(py::handle func, const py::tuple& args, const py::object& kwargs) {
  PyObject* const named = kwargs.is_none() ? nullptr : kwargs.ptr();
  PyObject* const result = PyObject_Call(func.ptr(), args.ptr(), named);
  if (result == nullptr) throw py::error_already_set();
  return py::reinterpret_steal<py::object>(result);
}

// Returns the indices of the arguments that an operator without results writes into, as the
// operators of optimizers do. Empty for an operator with results.
std::vector<std::size_t> writtenBy(const py::object& func) {
  const auto schema = func.attr("_schema");
  std::vector<std::size_t> written;
  if (py::len(schema.attr("returns")) != 0) return written;
  const py::list arguments = schema.attr("arguments");
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const auto alias = arguments[i].attr("alias_info");
    if (!alias.is_none() && alias.attr("is_write").cast<bool>()) written.push_back(i);
  }
  return written;
}

// Returns true if one of the operator's arguments is a process group, or the name of one.
bool hasGroup(const py::object& func) {
  for (const auto& argument : func.attr("_schema").attr("arguments")) {
    const auto name = argument.attr("name").cast<std::string>();
    if (name == "process_group" || name == "group_name") return true;
  }
  return false;
}

// Returns the function of C++ that OpOverload.__call__() of torch calls with its own arguments, to
// save that call. Returns `func` itself if it is another object, or has a dispatcher in Python.
py::object functionOf(const py::object& func) {
  const auto type = py::type::of(func);
  const bool isOverload = py::str(type.attr("__module__")).equal(py::str("torch._ops")) &&
                          py::str(type.attr("__name__")).equal(py::str("OpOverload"));
  if (!isOverload || !py::getattr(func, "_pyobj_dispatcher", py::none()).is_none()) return func;
  return py::getattr(func, "_op", func);
}

// Appends a name to the list of running operators while it exists.
class Running {
 public:
  Running(py::list& names, const py::object& name) : names_(names) { names_.append(name); }
  ~Running() {
    const Py_ssize_t size = PyList_GET_SIZE(names_.ptr());
    if (PyList_SetSlice(names_.ptr(), size - 1, size, nullptr) != 0) PyErr_Clear();
  }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

 private:
  py::list& names_;
};

}  // namespace

bool isDense(const Shape& shape, const std::vector<std::int64_t>& strides) {
  std::vector<std::pair<std::int64_t, std::int64_t>> dims;
  for (std::size_t i = 0; i < shape.size(); ++i) dims.emplace_back(strides[i], shape[i]);
  std::sort(dims.begin(), dims.end());
  std::int64_t size = 1;
  for (const auto& [stride, extent] : dims) {
    if (extent != 1 && stride != size) return false;
    size *= extent;
  }
  return true;
}

OperatorWatch::OperatorWatch(JobRecorder& jobs, JobTensors& tensors, Parts parts)
    : jobs_(jobs), tensors_(tensors), parts_(std::move(parts)) {}

template <class Record>
void OperatorWatch::guarded(const Record& record) {
  try {
    record();
  } catch (const py::error_already_set& error) {
    if (!error.matches(PyExc_Exception)) throw;  // as KeyboardInterrupt: it is the job's
    const std::string_view text = error.what();
    giveUp(std::string(text.substr(0, text.find("\n\nAt:"))));  // without the traceback
  } catch (const std::exception& error) {
    giveUp(error.what());
  }
}

void OperatorWatch::giveUp(const std::string& why) {
  stop();
  try {
    parts_.broken(why);
  } catch (const std::exception&) {  // the failure cannot be recorded either
  }
}

py::object OperatorWatch::dispatcher(py::handle self) {
  static PyMethodDef method{"__torch_dispatch__",
                            reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(onDispatch)),
                            METH_FASTCALL, nullptr};
  return py::reinterpret_steal<py::object>(PyCFunction_New(&method, self.ptr()));
}

PyObject* OperatorWatch::onDispatch(PyObject* self, PyObject* const* args, Py_ssize_t count) {
  const auto argument = [&](Py_ssize_t i) {
    return py::reinterpret_borrow<py::object>(i < count ? args[i] : Py_None);
  };
  if (count < 3 || PyTuple_Check(args[2]) == 0) {
    PyErr_SetString(PyExc_TypeError, "expected (func, types, args, kwargs)");
    return nullptr;
  }
  try {
    auto& watch = py::handle(self).cast<OperatorWatch&>();
    const auto given = py::reinterpret_borrow<py::tuple>(args[2]);
    return watch.dispatch(argument(0), argument(1), given, argument(3)).release().ptr();
  } catch (py::error_already_set& error) {
    error.restore();
  } catch (const std::exception& error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
  }
  return nullptr;
}

py::object OperatorWatch::dispatch(const py::object& func, const py::object& types,
                                   const py::tuple& args, const py::object& kwargs) {
  if (!isOn_) return called(func, args, kwargs);
  if (!jobs_.recordsOperators()) return runUnrecorded(func, types, args, kwargs);
  std::optional<Call> call;
  bool isCollective = false;
  py::handle function = func;
  guarded([&] {
    const Operator& op = describe(func);
    function = op.function;
    if (hasDTensor(types)) {
      call.emplace(begin(op, args));
    } else {
      isCollective = op.isCollective;
    }
  });
  if (!call && plain_ != nullptr) return runPlain(func, function, args, kwargs, isCollective);
  if (isCollective) return parts_.collective(func, args, kwargs);
  if (!call) return called(function, args, kwargs);
  py::object result;
  try {
    const Running running(parts_.running, call->op.word);
    result = called(function, args, kwargs);
  } catch (py::error_already_set& error) {
    guarded([&] {
      if (error.matches(PyExc_Exception)) parts_.failed(error.value());
    });
    guarded([&] { jobs_.end(call->event); });
    throw;
  }
  guarded([&] { recordCall(*call, args, result); });
  guarded([&] { jobs_.end(call->event); });  // also then, so that no later event is inside of it
  return result;
}

py::object OperatorWatch::runPlain(const py::object& func, py::handle function,
                                   const py::tuple& args, const py::object& kwargs,
                                   bool isCollective) {
  std::optional<PlainOperators::Call> call;
  guarded([&] { call = plain_->begin(func, args, kwargs); });
  py::object result;
  try {
    result = isCollective ? parts_.collective(func, args, kwargs) : called(function, args, kwargs);
  } catch (const py::error_already_set&) {
    guarded([&] {
      if (call) jobs_.end(call->event);
    });
    throw;
  }
  if (!call) return result;
  guarded([&] { plain_->finish(*call, result); });
  guarded([&] { jobs_.end(call->event); });
  return result;
}

py::object OperatorWatch::runUnrecorded(const py::object& func, const py::object& types,
                                        const py::tuple& args, const py::object& kwargs) {
  bool isCollective = false;
  py::handle function = func;
  guarded([&] {
    const Operator& op = describe(func);
    function = op.function;
    isCollective = op.isCollective && !hasDTensor(types);
    if (hasDTensor(types) || (plain_ != nullptr && plain_->isOn())) jobs_.beginStep();
  });
  return isCollective ? parts_.collective(func, args, kwargs) : called(function, args, kwargs);
}

bool OperatorWatch::isRecorded() {
  if (!isOn_) return false;
  const bool isRecorded = jobs_.recordsOperators();
  if (!isRecorded) jobs_.beginStep();
  return isRecorded;
}

void OperatorWatch::recordPlain(py::object plain) {
  plain_ = plain.cast<PlainOperators*>();
  plainOwner_ = std::move(plain);
}

bool OperatorWatch::hasDTensor(const py::object& types) const {
  bool has = false;
  auto* const dtensor = reinterpret_cast<PyTypeObject*>(parts_.dtensor.ptr());
  forEachItem(types, [&](py::handle type) {
    has |= PyType_IsSubtype(reinterpret_cast<PyTypeObject*>(type.ptr()), dtensor) != 0;
  });
  return has;
}

OperatorWatch::Call OperatorWatch::begin(const Operator& op, const py::tuple& args) {
  jobs_.waitForDisk();
  inputs_.clear();
  addInputs(args, inputs_);
  missedKey_.clear();
  py::object before = lookups();
  return {op, jobs_.beginOperator(op.name, inputs_), std::move(before)};
}

void OperatorWatch::recordCall(const Call& call, const py::tuple& args, py::handle result) {
  recordLookup(call.lookups);
  recordResults(call.op, result);
  for (const std::size_t place : call.op.written) {
    if (place < args.size()) recordResults(call.op, args[place]);
  }
}

const OperatorWatch::Operator& OperatorWatch::describe(const py::object& func) {
  const auto known = operators_.find(func.ptr());
  if (known != operators_.end()) return known->second;
  Operator op;
  const auto space = func.attr("namespace");
  const auto name = func.attr("__name__").cast<std::string>();
  op.func = func;
  op.function = functionOf(func);
  op.wordText = name.substr(0, name.find('.'));
  op.word = py::str(op.wordText);
  op.name = space.cast<std::string>() + "." + name;
  constexpr std::string_view kDefault = ".default";
  if (op.name.ends_with(kDefault)) op.name.resize(op.name.size() - kDefault.size());
  if (py::hasattr(func, "_schema")) op.written = writtenBy(func);  // not a higher-order operator
  op.isCollective = parts_.namespaces.contains(space) && hasGroup(func);
  return operators_.emplace(func.ptr(), std::move(op)).first->second;
}

bool OperatorWatch::isDTensor(py::handle object) const { return isOf(object, parts_.dtensor); }

void OperatorWatch::addInputs(py::handle values, std::vector<TensorId>& numbers) {
  forEachItem(values, [&](py::handle value) {
    if (isSequence(value)) {
      addInputs(value, numbers);
    } else if (isDTensor(value)) {
      if (const TensorId number = tensors_.number(value, "tensor"); number != 0) {
        numbers.push_back(number);
      }
    }
  });
}

py::object OperatorWatch::lookups() const {
  if (parts_.lookups.is_none()) return py::none();
  PyObject* const counts = PyObject_CallNoArgs(parts_.lookups.ptr());
  if (counts == nullptr) throw py::error_already_set();
  return py::reinterpret_steal<py::object>(counts);
}

// Records a hit if the cache's counters have changed since `before`, or a miss if one was reported.
// The number of misses serves as the number of entries. The counters after the previous operator
// are no substitute for `before`: each thread has its own, and operators of a branch of torch.cond,
// which the mode does not receive, change them.
void OperatorWatch::recordLookup(const py::object& before) {
  if (before.is_none()) return;
  const py::object now = lookups();
  const auto misses = py::handle(PyTuple_GetItem(now.ptr(), 1)).cast<std::size_t>();
  if (!missedKey_.empty()) {
    jobs_.lookup("strategy", /*isHit=*/false, missedKey_, misses);
  } else if (!now.equal(before)) {
    jobs_.lookup("strategy", /*isHit=*/true, {}, misses);
  }
}

void OperatorWatch::recordResults(const Operator& op, py::handle result) {
  if (isSequence(result)) {
    forEachItem(result, [&](py::handle made) { recordResults(op, made); });
  } else if (isDTensor(result)) {
    recordResult(result, op.wordText);
  }
}

void OperatorWatch::made(py::handle tensor, const std::string& name) {
  if (!isDTensor(tensor) || !isRecorded()) return;
  jobs_.waitForDisk();
  recordResult(tensor, name);
}

void OperatorWatch::moved(py::handle tensor, py::handle source) {
  if (isRecorded() && tensors_.number(source, "tensor") != 0) {
    recordResult(tensor, tensors_.nameOf(source) + "'");
  }
}

void OperatorWatch::read(py::handle tensor) {
  if (!isRecorded()) return;
  const TensorId number = tensors_.number(tensor, "tensor");
  if (number != 0) jobs_.end(jobs_.beginOperator("to_local", {number}));
}

// Records a result, and its value if that is requested. A tensor that has a name keeps it.
void OperatorWatch::recordResult(py::handle made, const std::string& name) {
  const TensorId number = tensors_.number(made, name);
  if (number == 0) return;
  const py::object local = made.attr(localName_);
  const auto bytes = py::object(local.attr(sizeName_)).cast<std::int64_t>();
  jobs_.result(tensors_.nameOf(made), number, bytes);
  if (!jobs_.recordsValue(number)) return;
  if (!recordPlainValue(number, local, static_cast<std::size_t>(bytes))) {
    parts_.value(number, local);
  }
}

// Returns false if the storage is too small for the tensor, as that of freed parameters. Reading
// such a tensor is a segmentation fault. Requires that its elements are dense.
bool OperatorWatch::hasMemory(py::handle local, std::size_t bytes) const {
  const auto offset = calledMethod(local, offsetName_).cast<std::size_t>();
  const auto itemSize = py::object(local.attr(itemSizeName_)).cast<std::size_t>();
  const auto storage = calledMethod(local, storageName_);
  const auto size = py::object(storage.attr(sizeName_))().cast<std::size_t>();
  return bytes == 0 || offset * itemSize + bytes <= size;
}

// Records the value of a tensor whose elements are in this process's memory, in row-major order if
// that matters. Returns false for any other tensor, and after an exception.
bool OperatorWatch::recordPlainValue(TensorId number, py::handle local, std::size_t bytes) {
  if (reinterpret_cast<PyObject*>(Py_TYPE(local.ptr())) != parts_.tensor.ptr()) return false;
  try {
    if (py::object(local.attr(isOnCpuName_)).ptr() != Py_True ||
        calledMethod(local, isConjugateName_).ptr() != Py_False ||
        calledMethod(local, isNegatedName_).ptr() != Py_False) {
      return false;
    }
    const auto shape = py::object(local.attr(shapeName_)).cast<Shape>();
    if (calledMethod(local, isContiguousName_).ptr() != Py_True &&
        (parts_.keepsElements ||
         !isDense(shape, calledMethod(local, strideName_).cast<std::vector<std::int64_t>>()))) {
      return false;
    }
    if (!hasMemory(local, bytes)) return true;  // so that it has no value
    const auto address = calledMethod(local, addressName_).cast<std::uintptr_t>();
    jobs_.value(number, shape, {reinterpret_cast<const char*>(address), bytes});
    return true;
  } catch (const std::exception&) {  // Parts::value fails in the same way, and reports it
    return false;
  }
}

}  // namespace shardlens
