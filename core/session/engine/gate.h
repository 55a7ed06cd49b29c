#pragma once

#include "core/trace/journal/event_sink.h"
#include "core/trace/journal/stopwatch.h"

#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>

namespace shardlens {

// Holds the engine at a position. It stands before the sinks that write: when `position` events
// have happened, and their values are written, the next thing that would happen waits for
// release(). A collective or an operator that was the last event is then still going on; the
// engine's clock stands meanwhile, so that no event takes as long as somebody looked at it.
class Gate final : public EventSink {
 public:
  // Both are called on the engine's thread: onPause each time before it waits, with the events that
  // have happened; onStop instead of going on, once stop() was called, with what that was called
  // with. Stopping ends the process: an exception would have to pass through destructors that write
  // their last event.
  Gate(std::function<void(EventId)> onPause, std::function<void(const std::string& why)> onStop,
       Stopwatch& clock)
      : onPause_(std::move(onPause)), onStop_(std::move(onStop)), clock_(clock) {}

  // From any thread.
  void release(EventId position);
  void stop(std::string why = {});

  EventId position() const { return happened_; }

  Wants wants() const override { return {.times = false, .reasons = false}; }
  void onMeta(std::string_view, std::string_view) override {}
  void onString(StringId, std::string_view) override {}
  void onSpec(SpecId, const SpecRecord&) override {}
  void onTensor(TensorId, StringId, SpecId) override {}
  using EventSink::onEvent;
  void onEvent(EventId id, const Event& event, std::span<const TensorId> inputs) override;
  void onValue(const ValueRecord&) override {}
  void onEnd(EventId id, std::int64_t duration) override;

 private:
  void wait();

  std::function<void(EventId)> onPause_;
  std::function<void(const std::string& why)> onStop_;
  Stopwatch& clock_;      // read on the engine's thread only
  EventId happened_ = 0;  // the engine's thread only
  std::mutex mutex_;
  std::condition_variable changed_;
  EventId position_ = 0;
  bool asked_ = true;  // a request was made that no pause has answered
  bool stopped_ = false;
  std::string why_;
};

}  // namespace shardlens
