#pragma once

#include "core/model/event.h"
#include "core/model/route.h"
#include "core/trace/events/value.h"

#include <span>
#include <string_view>

namespace shardlens {

// What a sink requests besides the events. The recorder does not produce data that no sink
// requests.
struct SinkRequests {
  // Start times and durations; 0 if not requested. With times, collectives run synchronously, so
  // that none overlaps with other work.
  bool times = true;
  // Reasons: arguments, strategy candidates, cache keys, alternatives of a plan.
  bool reasons = true;
};

// A receiver of a recording: a journal in memory, a file writer, or a gate that pauses the engine.
// A Recorder calls it in order on the recorder's thread. A string, spec, route or tensor is
// emitted before the first reference to it, a value after its event.
class EventSink {
 public:
  virtual ~EventSink() = default;
  // Called once, by Recorder::addSink().
  virtual SinkRequests requests() const { return {}; }
  virtual void onMeta(std::string_view key, std::string_view value) = 0;
  // Ids of strings, specs, routes, tensors and events count up from 1 without gaps.
  virtual void onString(StringId id, std::string_view text) = 0;
  virtual void onSpec(SpecId id, const Spec& spec) = 0;
  virtual void onRoute(RouteId id, const Route& route) = 0;
  virtual void onTensor(TensorId id, StringId name, SpecId spec) = 0;
  // `inputs`: the tensors that the event refers to besides those in its fields.
  virtual void onEvent(EventId id, const Event& event, std::span<const TensorId> inputs) = 0;
  void onEvent(EventId id, const Event& event) { onEvent(id, event, {}); }  // without inputs
  virtual void onValue(const ValueRecord& value) = 0;
  // Called before a collective of a job ends: sets Event::exposed. Ignored by default.
  virtual void onExposed(EventId /*id*/, std::int64_t /*exposed*/) {}
  // Called when a span ends: sets the duration of its event. No other field changes, except
  // `exposed`. Runs in destructors; exceptions are kept until Recorder::rethrow(). A span that a
  // GPU measures ends later, after other events: see Recorder::endLater().
  virtual void onEnd(EventId id, std::int64_t duration) = 0;
  // Adds a bookmark. A Recorder never calls this; copyJournal() does.
  virtual void onBookmark(EventId /*id*/, std::string_view /*note*/) {}
};

}  // namespace shardlens
