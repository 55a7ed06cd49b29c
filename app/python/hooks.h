#pragma once

#include <pybind11/pybind11.h>

namespace shardlens {

// A predicate that is true in the thread that makes it and in autograd's threads, but false while
// torch traces. All functions require the GIL.
class WatchedThread {
 public:
  // Callables of torch: tracing() returns None if nothing is traced, and gradientNode() the
  // autograd node that runs in this thread, or None.
  WatchedThread(pybind11::object tracing, pybind11::object gradientNode);

  // Throws an exception of a callable.
  bool isWatched() const;

 private:
  pybind11::object tracing_, gradientNode_;
  unsigned long own_ = PyThread_get_thread_ident();
};

// Adds the function `hook` and the types behind it to the module. These are types of CPython, not
// of pybind11, because a job calls hooks a hundred times a step.
//
// hook(plain, watch, is_watched, failed) returns a function that calls watch(call, *args,
// **kwargs), where call() runs `plain`. In a thread that is not watched it calls `plain` instead.
// An Exception of watch() that is not one of `plain` goes to failed(error) and never to the caller:
// the function returns or raises what `plain` did, which runs once, and calls `plain` alone from
// then on.
void addHook(pybind11::module_& module);

}  // namespace shardlens
