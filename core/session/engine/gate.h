#pragma once

#include "core/trace/events/event_sink.h"
#include "core/trace/recorder/stopwatch.h"

#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>

namespace shardlens {

// An event sink that pauses the engine's thread at a position. Add it before the sinks that write.
// Once `position` events have happened, the next event or span end blocks until release(). The last
// collective or operator is then still running. The clock is stopped while paused, so pauses do not
// count in durations.
class Gate final : public EventSink {
 public:
  // Both callbacks run on the engine's thread.
  // - onPause: called before blocking, at most once per release() and once at the start, with the
  //   number of events so far. The gate's lock is not held.
  // - onStop: called instead of continuing, after stop(why). It must end the process, because an
  //   exception would pass through destructors that write events. The gate's lock is held.
  //
  // `clock` must outlive the gate.
  Gate(std::function<void(EventId)> onPause, std::function<void(const std::string& why)> onStop,
       Stopwatch& clock)
      : onPause_(std::move(onPause)), onStop_(std::move(onStop)), clock_(clock) {}

  // Lets the engine run until `position` events have happened. From any thread.
  void release(EventId position);
  // Stops the engine at its next event or span end, or now if paused. From any thread.
  void stop(std::string why = {});

  // Returns the number of events so far. Engine's thread only.
  EventId position() const { return happened_; }

  SinkRequests requests() const override { return {.times = false, .reasons = false}; }
  void onMeta(std::string_view, std::string_view) override {}
  void onString(StringId, std::string_view) override {}
  void onSpec(SpecId, const Spec&) override {}
  void onRoute(RouteId, const Route&) override {}
  void onTensor(TensorId, StringId, SpecId) override {}
  using EventSink::onEvent;
  void onEvent(EventId id, const Event& event, std::span<const TensorId> inputs) override;
  void onValue(const ValueRecord&) override {}
  void onEnd(EventId id, std::int64_t duration) override;

 private:
  void wait();

  std::function<void(EventId)> onPause_;
  std::function<void(const std::string& why)> onStop_;
  Stopwatch& clock_;      // engine's thread only
  EventId happened_ = 0;  // events so far; engine's thread only
  std::mutex mutex_;
  std::condition_variable changed_;
  EventId position_ = 0;    // pause once so many events have happened
  bool isPauseDue_ = true;  // onPause is due
  bool stopped_ = false;
  std::string why_;
};

}  // namespace shardlens
