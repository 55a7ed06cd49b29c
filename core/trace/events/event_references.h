#pragma once

#include "core/model/event.h"

namespace shardlens {

// The type of the id in a field of an event, by the event's kind. None: the field is a number, not
// an id.
enum class Reference : std::uint8_t { None, Event, Tensor, Buffer };

constexpr Reference subjectOf(EventKind kind) {
  if (isOfCache(kind)) return Reference::Event;
  return isOfMask(kind) ? Reference::Buffer : Reference::Tensor;
}
constexpr Reference relatedOf(EventKind kind) {
  if (isOfCache(kind)) return Reference::None;
  return kind == EventKind::MaskReleased ? Reference::Event : Reference::Tensor;
}
constexpr Reference countOf(EventKind kind) {
  return kind == EventKind::Result ? Reference::Event : Reference::None;
}
// Returns true for kinds whose bytes count the hosted ranks, so that the parts of a merged event
// add up. For other kinds all processes record the same bytes.
constexpr bool countsHosted(EventKind kind) {
  return kind == EventKind::Collective || kind == EventKind::Result;
}

}  // namespace shardlens
