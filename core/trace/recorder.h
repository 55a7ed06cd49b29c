#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/trace/event_sink.h"

namespace shardlens {

// Turns what the engine does into events, for one thread. It numbers them, times them, gives each
// the innermost open span as parent, and keeps each text once. Without sinks it does nothing and
// costs a test of a pointer: ask on() before building a text.
class Recorder {
 public:
  Recorder();

  void addSink(EventSink& sink) { sinks_.push_back(&sink); }
  bool on() const { return !sinks_.empty(); }
  CaptureLevel capture() const { return capture_; }
  void setCapture(CaptureLevel level) { capture_ = level; }

  void meta(std::string_view key, std::string_view value);
  StringId intern(std::string_view text);
  TensorId addTensor(TensorRecord tensor);  // gives it its id
  BufferId nextBuffer() { return ++buffers_; }
  void value(ValueRecord value);

  // What every event gets until it is changed: the scenario's step and line.
  void setStep(int step, int line);

  // Something that took no time, or whose duration stands in the event.
  EventId note(Event event);
  // A span: end(id) fills in its duration. Spans end in the reverse order of their begin.
  EventId begin(Event event);
  void end(EventId id);

 private:
  std::int64_t now() const;

  struct Open {
    EventId id;
    Event event;
  };
  std::vector<EventSink*> sinks_;
  std::vector<Open> open_;
  std::unordered_map<std::string, StringId> strings_;
  std::chrono::steady_clock::time_point start_;
  CaptureLevel capture_ = CaptureLevel::None;
  EventId events_ = 0;
  TensorId tensors_ = 0;
  BufferId buffers_ = 0;
  int step_ = -1;
  int line_ = 0;
};

// Ends its span when it leaves scope, also by an exception.
class Span {
 public:
  Span(Recorder& recorder, const Event& event)
      : recorder_(recorder), id_(recorder.on() ? recorder.begin(event) : 0) {}
  ~Span() {
    if (id_ != 0) recorder_.end(id_);
  }
  Span(const Span&) = delete;
  Span& operator=(const Span&) = delete;
  EventId id() const { return id_; }

 private:
  Recorder& recorder_;
  EventId id_;
};

}  // namespace shardlens
