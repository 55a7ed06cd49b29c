#include "app/python/hooks.h"

#include <array>
#include <cstddef>
#include <optional>
#include <utility>

namespace py = pybind11;

namespace shardlens {
namespace {

struct Hook {
  PyObject_HEAD PyObject* plain;
  PyObject* watch;
  PyObject* failed;
  PyObject* thread;  // owns isWatched
  const WatchedThread* isWatched;
  bool isOn;
};

// The argument `call` of watch(). Remembers what `plain` did, so that a failing hook neither
// repeats the call nor hides its exception.
struct Call {
  PyObject_HEAD PyObject* plain;
  PyObject* result;
  PyObject* error;
};

PyTypeObject* hookType = nullptr;
PyTypeObject* callType = nullptr;

template <class Object>
Object* as(PyObject* object) {
  return reinterpret_cast<Object*>(object);
}

PyObject* runPlain(PyObject* self, PyObject* args, PyObject* kwargs) {
  Call* const call = as<Call>(self);
  PyObject* const result = PyObject_Call(call->plain, args, kwargs);
  if (result != nullptr) {
    Py_XSETREF(call->result, Py_NewRef(result));
  } else {
    py::error_already_set error;
    Py_XSETREF(call->error, Py_NewRef(error.value().ptr()));
    error.restore();
  }
  return result;
}

void clearCall(Call* call) {
  Py_CLEAR(call->result);
  Py_CLEAR(call->error);
}

void destroyCall(PyObject* self) {
  Call* const call = as<Call>(self);
  clearCall(call);
  Py_CLEAR(call->plain);
  PyTypeObject* const type = Py_TYPE(self);
  type->tp_free(self);
  Py_DECREF(type);
}

// Ends the hook, because of the error.
void endHook(Hook* hook, const py::object& error) {
  hook->isOn = false;
  PyObject* const reported = PyObject_CallOneArg(hook->failed, error.ptr());
  if (reported == nullptr) PyErr_Clear();
  Py_XDECREF(reported);
}

// Returns what the hooked function returns after watch() has raised an Exception.
PyObject* afterError(Hook* hook, Call* call, PyObject* args, PyObject* kwargs) {
  py::error_already_set error;
  if (error.value().ptr() == call->error) {
    error.restore();
    return nullptr;
  }
  endHook(hook, error.value());
  if (call->error != nullptr) {
    PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(call->error)), call->error);
    return nullptr;
  }
  return call->result != nullptr ? Py_NewRef(call->result)
                                 : PyObject_Call(hook->plain, args, kwargs);
}

// Returns nullopt with the Python error set if an interrupt or exit of the job arrives meanwhile.
std::optional<bool> isActive(Hook* hook) {
  if (!hook->isOn) return false;
  try {
    return hook->isWatched->isWatched();
  } catch (py::error_already_set& error) {
    if (!error.matches(PyExc_Exception)) {
      error.restore();
      return std::nullopt;
    }
    endHook(hook, error.value());
    return false;
  }
}

PyObject* runHook(PyObject* self, PyObject* args, PyObject* kwargs) {
  Hook* const hook = as<Hook>(self);
  const auto active = isActive(hook);
  if (!active) return nullptr;
  if (!*active) return PyObject_Call(hook->plain, args, kwargs);
  const auto owner = py::reinterpret_steal<py::object>(callType->tp_alloc(callType, 0));
  if (!owner) return nullptr;
  Call* const call = as<Call>(owner.ptr());
  call->plain = Py_NewRef(hook->plain);
  const Py_ssize_t size = PyTuple_GET_SIZE(args);
  const auto given = py::reinterpret_steal<py::object>(PyTuple_New(size + 1));
  if (!given) return nullptr;
  PyTuple_SET_ITEM(given.ptr(), 0, Py_NewRef(owner.ptr()));
  for (Py_ssize_t i = 0; i < size; ++i) {
    PyTuple_SET_ITEM(given.ptr(), i + 1, Py_NewRef(PyTuple_GET_ITEM(args, i)));
  }
  PyObject* result = PyObject_Call(hook->watch, given.ptr(), kwargs);
  if (result == nullptr && PyErr_ExceptionMatches(PyExc_Exception) != 0) {
    result = afterError(hook, call, args, kwargs);
  }
  clearCall(call);  // the error's traceback refers to the call
  return result;
}

int visitHook(PyObject* self, visitproc visit, void* arg) {
  const Hook* const hook = as<Hook>(self);
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(hook->plain);
  Py_VISIT(hook->watch);
  Py_VISIT(hook->failed);
  Py_VISIT(hook->thread);
  return 0;
}

int clearHook(PyObject* self) {
  Hook* const hook = as<Hook>(self);
  Py_CLEAR(hook->plain);
  Py_CLEAR(hook->watch);
  Py_CLEAR(hook->failed);
  Py_CLEAR(hook->thread);
  return 0;
}

void destroyHook(PyObject* self) {
  PyObject_GC_UnTrack(self);
  clearHook(self);
  PyTypeObject* const type = Py_TYPE(self);
  type->tp_free(self);
  Py_DECREF(type);
}

template <std::size_t Slots>
PyTypeObject* newType(const char* name, std::size_t size, unsigned long flags,
                      std::array<PyType_Slot, Slots> slots) {
  flags |= Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION;
  PyType_Spec spec{name, static_cast<int>(size), 0, static_cast<unsigned int>(flags), slots.data()};
  PyObject* const type = PyType_FromSpec(&spec);
  if (type == nullptr) throw py::error_already_set();
  return as<PyTypeObject>(type);
}

template <class Function>
void* slot(Function function) {
  return reinterpret_cast<void*>(function);
}

py::object newHook(const py::object& plain, const py::object& watch, const py::object& thread,
                   const py::object& failed) {
  const auto& isWatched = thread.cast<const WatchedThread&>();
  auto made = py::reinterpret_steal<py::object>(hookType->tp_alloc(hookType, 0));
  if (!made) throw py::error_already_set();
  Hook* const hook = as<Hook>(made.ptr());
  hook->plain = Py_NewRef(plain.ptr());
  hook->watch = Py_NewRef(watch.ptr());
  hook->failed = Py_NewRef(failed.ptr());
  hook->thread = Py_NewRef(thread.ptr());
  hook->isWatched = &isWatched;
  hook->isOn = true;
  return made;
}

}  // namespace

WatchedThread::WatchedThread(py::object tracing, py::object gradientNode)
    : tracing_(std::move(tracing)), gradientNode_(std::move(gradientNode)) {}

bool WatchedThread::isWatched() const {
  return tracing_().is_none() &&
         (PyThread_get_thread_ident() == own_ || !gradientNode_().is_none());
}

void addHook(py::module_& module) {
  hookType = newType<5>("shardlens._jobs.Hook", sizeof(Hook), Py_TPFLAGS_HAVE_GC,
                        {{{Py_tp_call, slot(runHook)},
                          {Py_tp_traverse, slot(visitHook)},
                          {Py_tp_clear, slot(clearHook)},
                          {Py_tp_dealloc, slot(destroyHook)},
                          {0, nullptr}}});
  callType = newType<3>(
      "shardlens._jobs.Call", sizeof(Call), 0,
      {{{Py_tp_call, slot(runPlain)}, {Py_tp_dealloc, slot(destroyCall)}, {0, nullptr}}});
  module.def("hook", newHook, py::arg("plain"), py::arg("watch"), py::arg("is_watched"),
             py::arg("failed"));
}

}  // namespace shardlens
