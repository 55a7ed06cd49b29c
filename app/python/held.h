#pragma once

#include "core/model/placement.h"

#include <cstddef>
#include <new>
#include <optional>
#include <stdexcept>
#include <utility>

namespace shardlens {

// What an object of Python's class Placement holds. The engine's placements are a closed set, and
// Python's class is open: what somebody else derives from it has no value, so it is no shard, no
// replica and no term, unless it says so itself.
struct Held {
  std::optional<Placement> value;

  // Python can make an object and never call its constructor; that one has no value either.
  static void* operator new(std::size_t size) { return ::new (::operator new(size)) Held; }
};

// An object of the class of one kind: its value is there, and of that kind.
template <class Kind>
struct HeldKind : Held {};

// As in DTensor, whoever asks for a Partial gets these two as well.
template <>
struct HeldKind<NormPartial> : HeldKind<Partial> {};
template <>
struct HeldKind<MaskPartial> : HeldKind<Partial> {};

template <class Kind>
HeldKind<Kind> hold(Kind kind) {
  HeldKind<Kind> object;
  object.value = std::move(kind);
  return object;
}

inline const Placement& valueOf(const Held& object) {
  if (!object.value) throw std::logic_error("this placement was made without its constructor");
  return *object.value;
}

template <class Kind>
const Kind& kindOf(const HeldKind<Kind>& object) {
  return std::get<Kind>(valueOf(object));
}

}  // namespace shardlens
