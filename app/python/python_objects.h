#pragma once

#include <pybind11/pybind11.h>

#include <string>
#include <string_view>

namespace shardlens {

// Returns a name for attr(). It is interned, while attr("name") would make a new string at each
// call.
inline pybind11::object attributeName(const char* name) {
  return pybind11::reinterpret_steal<pybind11::object>(PyUnicode_InternFromString(name));
}

// Returns object.name(). Throws its Python error.
inline pybind11::object calledMethod(pybind11::handle object, const pybind11::object& name) {
  PyObject* const result = PyObject_CallMethodNoArgs(object.ptr(), name.ptr());
  if (result == nullptr) throw pybind11::error_already_set();
  return pybind11::reinterpret_steal<pybind11::object>(result);
}

// Returns the name of a torch.dtype: "float32".
inline std::string dtypeText(pybind11::handle dtype) {
  constexpr std::string_view kModule = "torch.";
  auto text = pybind11::str(dtype).cast<std::string>();
  if (text.starts_with(kModule)) text.erase(0, kModule.size());
  return text;
}

// Returns true if the object is of this class, or of one derived from it. Runs no Python code.
inline bool isOf(pybind11::handle object, pybind11::handle type) {
  return PyObject_TypeCheck(object.ptr(), reinterpret_cast<PyTypeObject*>(type.ptr())) != 0;
}

// Returns true for a tuple or list.
inline bool isSequence(pybind11::handle value) {
  return PyTuple_Check(value.ptr()) || PyList_Check(value.ptr());
}

// Calls `call` with each element of a tuple or list.
template <class Call>
void forEachItem(pybind11::handle sequence, const Call& call) {
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(sequence.ptr()); ++i) {
    call(pybind11::handle(PySequence_Fast_GET_ITEM(sequence.ptr(), i)));
  }
}

}  // namespace shardlens
