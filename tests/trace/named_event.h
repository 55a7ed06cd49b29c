#pragma once

#include "core/trace/events/event_names.h"
#include "core/trace/recorder/recorder.h"

#include <string_view>

namespace shardlens {

// Interns a route that is given as text, "S(0) -> R".
inline RouteId routeIn(Recorder& recorder, std::string_view text) {
  return recorder.intern(parseRoute(text).value());
}

// Returns an event whose name queries show: sets its route, collective or cache if `name` is that
// of one, else its name.
inline Event namedEvent(Recorder& recorder, EventKind kind, std::string_view name) {
  Event event;
  event.kind = kind;
  if (kind == EventKind::Collective)
    event.subkind = static_cast<std::uint8_t>(parseCollective(name));
  if (isOfCache(kind)) event.subkind = static_cast<std::uint8_t>(parseCache(name));
  if (kind == EventKind::Redistribute || kind == EventKind::Plan) {
    if (const auto route = parseRoute(name)) event.route = recorder.intern(*route);
  }
  if (event.subkind == 0 && event.route == 0) event.name = recorder.intern(name);
  return event;
}

}  // namespace shardlens
