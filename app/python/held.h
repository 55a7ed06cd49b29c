#pragma once

#include "core/model/placement.h"

#include <cstddef>
#include <new>
#include <optional>
#include <stdexcept>
#include <utility>

namespace shardlens {

// The C++ object behind Python's class Placement. `value` is nullopt in two cases: for a Python
// class that derives from Placement itself, and for an object whose __init__ never ran. Then
// is_shard(), is_replicate() and is_partial() return False unless the subclass overrides them.
struct Held {
  std::optional<Placement> value;

  // pybind11 calls this for an object whose __init__ never ran; it leaves `value` empty.
  static void* operator new(std::size_t size) { return ::new (::operator new(size)) Held; }
};

// The C++ object behind the Python class of one kind of placement. A constructed object has a value
// of that kind; HeldKind<Partial> may hold a NormPartial or a MaskPartial.
template <class Kind>
struct HeldKind : Held {};

// As in DTensor, both are subclasses of Partial in Python.
template <>
struct HeldKind<NormPartial> : HeldKind<Partial> {};
template <>
struct HeldKind<MaskPartial> : HeldKind<Partial> {};

// Wraps a placement of one kind.
template <class Kind>
HeldKind<Kind> hold(Kind kind) {
  HeldKind<Kind> object;
  object.value = std::move(kind);
  return object;
}

// Throws std::logic_error (RuntimeError in Python) if the object has no value.
inline const Placement& valueOf(const Held& object) {
  if (!object.value) throw std::logic_error("placement: got an object whose constructor never ran");
  return *object.value;
}

// As valueOf(). Throws std::bad_variant_access if the value is of another kind, as the value of a
// subclass of Partial is for kindOf<Partial>().
template <class Kind>
const Kind& kindOf(const HeldKind<Kind>& object) {
  return std::get<Kind>(valueOf(object));
}

}  // namespace shardlens
