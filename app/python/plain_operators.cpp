#include "app/python/plain_operators.h"

#include "core/trace/records/json_fields.h"

#include <pybind11/stl.h>

#include <algorithm>
#include <cmath>

namespace py = pybind11;

namespace shardlens {
namespace {

std::string textOf(py::handle value) { return py::str(value).cast<std::string>(); }

std::string jsonString(const std::string& text) { return jsonText(DetailJson(text)); }

// Returns a number as JSON; infinities and NaN as texts.
std::string realText(double value) {
  if (!std::isfinite(value))
    return std::isnan(value) ? "\"nan\"" : value > 0 ? "\"inf\"" : "\"-inf\"";
  char* const text = PyOS_double_to_string(value, 'r', 0, Py_DTSF_ADD_DOT_0, nullptr);
  if (text == nullptr) throw py::error_already_set();
  std::string copy(text);
  PyMem_Free(text);
  return copy;
}

// Returns the argument at a place of the schema; `usual` if it is not given.
py::handle given(const py::tuple& args, py::handle kwargs, std::size_t place,
                 const PlainOperators::Argument& argument) {
  if (place < args.size()) return PyTuple_GET_ITEM(args.ptr(), static_cast<Py_ssize_t>(place));
  PyObject* const named =
      kwargs.is_none() ? nullptr : PyDict_GetItem(kwargs.ptr(), argument.name.ptr());
  return named == nullptr ? py::handle(argument.usual) : py::handle(named);
}

}  // namespace

PlainOperators::PlainOperators(JobRecorder& jobs, PlainTensorIds& tensors, Parts parts)
    : jobs_(jobs),
      tensors_(tensors),
      parts_(std::move(parts)),
      thread_(parts_.isWatched.cast<const WatchedThread&>()) {}

const PlainOperators::Operator& PlainOperators::describe(const py::object& func) {
  const auto known = operators_.find(func.ptr());
  if (known != operators_.end()) return known->second;
  Operator op;
  op.func = func;
  const py::object space = func.attr("namespace");
  op.isIgnored = !py::hasattr(func, "_schema") || textOf(space) == "profiler";
  if (!op.isIgnored) {
    op.name = func.attr("name")().cast<std::string>();
    op.name.replace(op.name.find("::"), 2, ".");
    op.word = func.attr("__name__").cast<std::string>();
    op.word.resize(std::min(op.word.size(), op.word.find('.')));
    op.isCollective = parts_.namespaces.contains(space) && !parts_.waits.contains(op.word);
    op.isOfC10d = textOf(space) == "c10d";
    const py::object tags = func.attr("tags");
    op.isPointwise = tags.contains(parts_.pointwise);
    op.isSeeded = tags.contains(parts_.seeded);
    for (const auto& argument : func.attr("_schema").attr("arguments")) {
      const py::object name = argument.attr("name"), alias = argument.attr("alias_info");
      op.arguments.push_back({name, argument.attr("default_value"), jsonString(textOf(name)) + ":",
                              !alias.is_none() && alias.attr("is_write").cast<bool>()});
    }
  }
  return operators_.emplace(func.ptr(), std::move(op)).first->second;
}

std::optional<PlainOperators::Call> PlainOperators::begin(const py::object& func,
                                                          const py::tuple& args,
                                                          const py::object& kwargs) {
  if (!isOn_ || !thread_.isWatched()) return std::nullopt;
  const Operator& op = describe(func);
  if (op.isIgnored) return std::nullopt;
  if (op.isCollective) return beginCollective(op, args, kwargs);
  jobs_.waitForDisk();
  Call call{&op, 0, {}};
  std::vector<TensorId> inputs;
  std::string detail = R"({"args":{)";
  for (std::size_t i = 0; i < op.arguments.size(); ++i) {
    const Argument& argument = op.arguments[i];
    const py::handle value = given(args, kwargs, i, argument);
    if (i > 0) detail += ',';
    detail += argument.key;
    addArgument(value, inputs, detail);
    if (argument.isWritten) addTensors(value, call.written);
  }
  detail += op.isPointwise ? R"(},"pointwise":true})" : "}}";
  call.event = jobs_.beginOperator(op.name, inputs, detail);
  if (op.isSeeded) parts_.random(func, args, kwargs.is_none() ? py::dict() : kwargs);
  return call;
}

PlainOperators::Call PlainOperators::beginCollective(const Operator& op, const py::tuple& args,
                                                     const py::object& kwargs) {
  const py::tuple begun =
      parts_.beginCollective(op.func, op.name, args, kwargs.is_none() ? py::dict() : kwargs);
  Call call{&op, begun[0].cast<EventId>(), {}};
  addTensors(begun[1], call.written);
  return call;
}

bool PlainOperators::isTensor(py::handle value) const { return isOf(value, parts_.tensor); }

void PlainOperators::addTensors(py::handle value, std::vector<py::object>& tensors) const {
  if (isSequence(value)) {
    forEachItem(value, [&](py::handle item) { addTensors(item, tensors); });
  } else if (isTensor(value)) {
    tensors.push_back(py::reinterpret_borrow<py::object>(value));
  }
}

void PlainOperators::addArgument(py::handle value, std::vector<TensorId>& inputs,
                                 std::string& detail) {
  if (isTensor(value)) {
    inputs.push_back(tensors_.number(value, "tensor"));
    detail += R"({"tensor":)" + std::to_string(inputs.size() - 1) + "}";
  } else if (isSequence(value)) {
    bool isFirst = true;
    detail += '[';
    forEachItem(value, [&](py::handle item) {
      if (!std::exchange(isFirst, false)) detail += ',';
      addArgument(item, inputs, detail);
    });
    detail += ']';
  } else if (value.is_none() || isOf(value, parts_.device) || isOf(value, parts_.generator)) {
    detail += "null";
  } else if (PyBool_Check(value.ptr())) {
    detail += value.ptr() == Py_True ? "true" : "false";
  } else if (PyLong_Check(value.ptr())) {
    detail += textOf(value);
  } else if (PyFloat_Check(value.ptr())) {
    detail += realText(PyFloat_AS_DOUBLE(value.ptr()));
  } else if (isOf(value, parts_.dtype)) {
    detail += R"({"dtype":)" + jsonString(dtypeText(value)) + "}";
  } else {
    detail += jsonString(textOf(value));
  }
}

void PlainOperators::record(py::handle tensor, const std::string& word,
                            std::vector<TensorId>& seen) {
  const TensorId number = tensors_.number(tensor, word);
  if (number == 0 || std::ranges::find(seen, number) != seen.end()) return;
  seen.push_back(number);
  const auto bytes = py::object(tensors_.inner(tensor).attr(sizeName_)).cast<std::int64_t>();
  jobs_.waitForDisk();
  jobs_.result(word, number, bytes, "{}");
}

void PlainOperators::finish(const Call& call, py::handle result) {
  const Operator& op = *call.op;
  std::vector<py::object> returned;
  addTensors(result, returned);
  std::vector<TensorId> seen;
  for (const auto& tensor : returned) record(tensor, op.word, seen);
  for (const auto& tensor : call.written) record(tensor, op.word, seen);
  py::set filled;
  for (const auto& tensor : call.written) {
    for (const auto& [number, name, isInside] : tensors_.overlapping(tensor)) {
      if (op.isOfC10d) filled.add(number);
      if (std::ranges::find(seen, number) != seen.end()) continue;
      seen.push_back(number);
      jobs_.result(name, number, 0, isInside ? R"({"role":"alias"})" : R"({"role":"overlap"})");
    }
  }
  if (op.isOfC10d && !call.written.empty()) parts_.collectiveBegan(result, filled);
}

}  // namespace shardlens
