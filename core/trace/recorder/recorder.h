#pragma once

#include "core/model/hash.h"
#include "core/trace/events/capture.h"
#include "core/trace/events/event_sink.h"
#include "core/trace/recorder/collective_counts.h"
#include "core/trace/records/site_record.h"

#include <array>
#include <chrono>
#include <deque>
#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace shardlens {

// Turns the actions of the engine into events and emits them to sinks. Assigns ids and times, sets
// the innermost open span as parent, and interns texts. Without sinks every call costs a test of a
// pointer and records nothing; only collectives are counted. Check on() before building a text, and
// recordsReasons() before building a detail that only gives reasons. Not thread safe. An exception
// that a sink throws passes to the caller of the recorder.
class Recorder {
 public:
  // A duration measured by another clock, for example the GPU's.
  using Took = std::optional<std::chrono::nanoseconds>;
  // Whether to wait for the other clock.
  enum class Wait { No, Yes };
  // Reads a duration that another clock measures meanwhile. Returns nullopt if it is not known yet
  // and `wait` is No. The recorder may call it several times.
  using LateDuration = std::function<Took(Wait wait)>;

  // Larger shards, in bytes, are recorded as hashes by default.
  static constexpr std::size_t kWholeUpTo = std::size_t{64} << 10;

  Recorder();

  // Does not own the sink, which must live until removeSinks(). Add sinks before the first event: a
  // new sink does not receive earlier metadata, strings, specs, routes and tensors.
  void addSink(EventSink& sink);
  // Ends the current recording and restarts the default clock. Ids issued so far become invalid;
  // sinks added later start a new recording with a new number. Does not throw: an exception of a
  // sink is kept for rethrow().
  void removeSinks();
  // The number of the current recording, from 1.
  std::uint32_t recording() const { return recording_; }
  // True if there is a sink. The next functions report what the sinks together request.
  bool on() const { return !sinks_.empty(); }
  bool recordsTimes() const { return requests_.times; }
  bool recordsReasons() const { return requests_.reasons; }
  bool recordsValues() const { return on() && capture_.keepsAny(); }
  // True if value() would record something for this tensor and rank in the current step. Throws
  // CheckFailed for an unknown tensor.
  bool recordsValue(TensorId tensor, int rank) const {
    return on() && levelOf(tensor, rank) != CaptureLevel::None;
  }
  // True if value() would record the elements of this tensor, `bytes` of them.
  bool recordsElements(TensorId tensor, int rank, std::size_t bytes) const {
    return on() && bytes <= wholeUpTo_ && levelOf(tensor, rank) == CaptureLevel::All;
  }
  // Returns the id of the newest event; 0 if there is none.
  EventId newestEvent() const { return events_; }
  // Must be called before the first addTensor(). Shards of more than `wholeUpTo` bytes are recorded
  // as statistics and a hash.
  void setCapture(Capture capture, std::size_t wholeUpTo = kWholeUpTo) {
    capture_ = std::move(capture);
    wholeUpTo_ = wholeUpTo;
  }

  // Replaces the steady clock. `clock` returns nanoseconds since the recording began.
  void setClock(std::function<std::int64_t()> clock) { clock_ = std::move(clock); }
  // Returns the nanoseconds since the recording began.
  std::int64_t now() const;

  // Returns the count of the current step and this kind, for the caller to update. The reference is
  // valid until a count of another step or kind is created.
  CollectiveCounts::Count& collectives(CollectiveKind kind) { return counts_.of(step_, kind); }
  // The counts of all steps; removeSinks() does not reset them.
  const std::vector<CollectiveCounts::Count>& collectives() const { return counts_.all(); }

  // Sets a hook that beginCollective() calls with the kind of the collective, with and without
  // sinks.
  void onCollective(std::function<void(CollectiveKind)> callback) {
    collectiveHook_ = std::move(callback);
  }
  void beginCollective(CollectiveKind kind) const {
    if (collectiveHook_) collectiveHook_(kind);
  }

  // Sets the recording's mesh. Specs on this mesh are recorded without a mesh.
  void setMesh(DeviceMesh mesh) { mesh_ = std::move(mesh); }

  // Emits a metadata entry to all sinks. A later value replaces an earlier one.
  void meta(std::string_view key, std::string_view value);
  // Returns the id of a text, and emits the text if it is new. 0 without sinks and for "".
  StringId intern(std::string_view text);
  // Returns the id of a spec, and emits the spec if it is new. Strides are not recorded, nor the
  // mesh if it is the recording's. 0 without sinks.
  SpecId intern(Spec spec);
  RouteId intern(const Route& route);
  RouteId intern(const PlacementChange& change);  // copies the placements of a new change only
  // Emits a new tensor and returns its id; 0 without sinks.
  TensorId addTensor(std::string_view name, SpecId spec);
  TensorId addTensor(std::string_view name, Spec spec) {
    return addTensor(name, intern(std::move(spec)));
  }
  BufferId nextBuffer() { return ++buffers_; }  // not reset by removeSinks()
  // Returns the next sequence number of a process group, from 1.
  std::uint32_t nextOf(StringId group) { return ++sequences_[group]; }
  // Records the value of a tensor on a rank, at the level that the capture rules give. `elements`
  // is row-major. An event of 0 in `value` means the newest event. Computes the statistics;
  // statistics and data of `value` are ignored. Throws CheckFailed for an unknown tensor.
  void value(ValueRecord value, std::span<const std::byte> elements);
  // Records a value as value() does, without elements: the caller has computed its statistics and
  // its hash, as on a GPU.
  void summary(ValueRecord value);
  // Records the last value for another rank too. Returns false if that rank has another capture
  // level; call value() then. Also false if the last value() recorded nothing.
  bool valueAgain(int rank);

  // Defaults for all following events: step, line, site; ranks and device unless the event sets
  // them. Without sinks, ranks, site and device are dropped.
  void setStep(int step, int line);
  int step() const { return step_; }
  void setRanks(std::string_view ranks) { ranks_ = intern(ranks); }
  void setSite(const SiteRecord& site) { site_ = intern(siteText(site)); }
  void setDevice(std::string_view device) { device_ = intern(device); }
  // Sets a hook that runs before an event outside of any span, or directly inside a step. The
  // Python front end uses it to set the site; it may begin a step, and remove the hook and the
  // sinks. Not called recursively. An empty function removes it.
  void onUnscopedEvent(std::function<void()> hook) { unscopedHook_ = std::move(hook); }
  // Calls that hook as an event would, without one. Does nothing inside of a span but a step.
  void callUnscopedHook();
  // Sets a hook that failed() calls inside an operator that ends with an exception, while that
  // exception is handled.
  void onFailure(std::function<void(EventId)> hook) { failureHook_ = std::move(hook); }
  void failed(EventId call) const {
    if (on() && failureHook_) failureHook_(call);
  }

  // Records an event that has already ended, and returns its id; 0 without sinks. The event starts
  // `duration` before now, but not before its parent.
  EventId note(Event event);
  // Begins a span, and returns its event id; 0 without sinks. end() sets its duration: `took` if
  // given, else the elapsed time; 0 without times. Spans must end in reverse order; end() also ends
  // all spans opened inside it and left open by an exception. Throws CheckFailed if the span is not
  // open.
  EventId begin(Event event, std::span<const TensorId> inputs = {});
  void end(EventId id, Took took = std::nullopt);
  // Takes an open span off the stack of open spans, so that later events are not inside of it.
  // Ends all spans opened inside it. Throws CheckFailed if the span is not open.
  void detach(EventId id);
  // Ends a detached span, in any order. `exposed`: see Event; at most the duration is recorded.
  // Ignores a span that is not detached.
  void complete(EventId id, std::int64_t exposed, Took took = std::nullopt);
  // Ends a span as end(), but emits its duration later, when `read` returns it. If `read` throws,
  // it emits the elapsed time. Until then the sinks see a running span. Without times as end().
  void endLater(EventId id, LateDuration read);
  // Emits the late durations, oldest first, up to the first that is not known yet. Wait::Yes blocks
  // until all are known. endLater() calls it from time to time, removeSinks() with Wait::Yes.
  void readDurations(Wait wait);

  // Keeps the exception in flight, for destructors, which must not throw. Keeps only the first.
  void keepException() noexcept;
  // Throws the kept exception, once. The step runner calls it, so that a bug ends the step.
  void rethrow();

 private:
  struct Open {
    EventId id;
    std::int64_t time;
    bool isStep;
  };
  struct Late {
    EventId id;
    std::int64_t elapsed;
    LateDuration read;
  };
  struct Closed {
    std::int64_t begun, elapsed;
  };
  struct TextHash {
    using is_transparent = void;  // NOLINT(readability-identifier-naming): the library's name
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>{}(text);
    }
  };

  struct Tensor {
    StringId name;
    SpecId spec;
  };
  struct Recent {
    std::string_view text;
    StringId id = 0;
  };

  CaptureLevel levelOf(TensorId tensor, int rank) const;
  void emitEnd(EventId id, std::int64_t duration);
  // Takes the span off the stack of open spans, and ends all spans inside it.
  Closed close(EventId id);
  // Emits the oldest late duration. Returns false if it is not known yet.
  bool readDuration(Wait wait);
  void forget();
  RouteId add(Route route);
  // Calls the hook of onUnscopedEvent() and returns true if there are sinks after it.
  bool records();
  EventId append(Event& event, std::span<const TensorId> inputs);
  void emitValue(ValueRecord value);

  std::vector<EventSink*> sinks_;
  SinkRequests requests_{.times = false, .reasons = false};  // the union over all sinks
  CollectiveCounts counts_;
  std::unordered_map<StringId, std::uint32_t> sequences_;  // by process group
  std::exception_ptr kept_;
  std::vector<Open> open_;
  std::unordered_map<EventId, std::int64_t> detached_;  // start times of detached spans
  std::deque<Late> late_;                               // durations that are not emitted yet
  std::unordered_map<std::string, StringId, TextHash, std::equal_to<>> strings_;
  std::vector<std::string_view> texts_{std::string_view()};  // views of strings_, by id
  // Cache of strings_, by the address of the text.
  std::array<Recent, 64> recent_;
  std::unordered_map<Spec, SpecId, SpecHash> specs_;
  std::unordered_map<Route, RouteId, RouteHash, RouteEqual> routes_;
  std::optional<DeviceMesh> mesh_;
  std::vector<DType> dtypes_;    // by spec id - 1
  std::vector<Tensor> tensors_;  // by tensor id - 1; empty if no values are captured
  TensorId lastTensor_ = 0;
  std::chrono::steady_clock::time_point start_;
  std::function<std::int64_t()> clock_;  // empty: the steady clock
  std::function<void()> unscopedHook_;
  std::function<void(EventId)> failureHook_;
  std::function<void(CollectiveKind)> collectiveHook_;
  bool isInHook_ = false;
  std::uint32_t recording_ = 1;
  Capture capture_;
  // State of the last value() call, for valueAgain().
  CaptureLevel lastLevel_ = CaptureLevel::None;
  ValueRecord lastValue_;
  std::size_t wholeUpTo_ = kWholeUpTo;
  EventId events_ = 0;
  BufferId buffers_ = 0;
  StringId ranks_ = 0;
  StringId site_ = 0;
  StringId device_ = 0;
  int step_ = -1;
  int line_ = 0;
};

// A span that ends when this object leaves scope, also by an exception. Does nothing without sinks.
// An exception from the sinks is kept for Recorder::rethrow().
class Span {
 public:
  Span(Recorder& recorder, const Event& event, std::span<const TensorId> inputs = {})
      : recorder_(recorder), id_(recorder.on() ? recorder.begin(event, inputs) : 0) {}
  ~Span() {
    if (id_ == 0) return;
    try {
      if (late_) {
        recorder_.endLater(id_, std::move(late_));
      } else {
        recorder_.end(id_, took_);
      }
    } catch (...) {
      recorder_.keepException();
    }
  }
  Span(const Span&) = delete;
  Span& operator=(const Span&) = delete;
  EventId id() const { return id_; }  // 0 without sinks
  // Sets the duration, measured by a better clock than the recorder's.
  void took(Recorder::Took took) { took_ = took; }
  // Sets that such a clock measures the duration meanwhile; see Recorder::endLater().
  void measuredBy(Recorder::LateDuration late) { late_ = std::move(late); }

 private:
  Recorder& recorder_;
  EventId id_;
  Recorder::Took took_;
  Recorder::LateDuration late_;
};

}  // namespace shardlens
