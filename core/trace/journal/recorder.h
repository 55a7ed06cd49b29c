#pragma once

#include "core/trace/journal/capture.h"
#include "core/trace/journal/collective_counts.h"
#include "core/trace/journal/event_sink.h"
#include "core/trace/records/site_record.h"

#include <array>
#include <chrono>
#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace shardlens {

// Turns what the engine does into events. It numbers them, times them, gives each the innermost
// open span as parent, and keeps each text once. Without sinks it does nothing and costs a test of
// a pointer: ask on() before building a text, and wantsReasons() before building a detail that only
// says why. Counting collectives needs neither sinks nor events. One thread at a time may use it.
class Recorder {
 public:
  using Took = std::optional<std::chrono::nanoseconds>;

  static constexpr std::size_t kWholeUpTo = std::size_t{64} << 10;

  Recorder();

  void addSink(EventSink& sink);
  // Whatever outlives the sinks records no more. Sinks that are added later get a recording of
  // their own: ids that were given out mean nothing any more, and recording() is another number.
  void removeSinks();
  std::uint32_t recording() const { return recording_; }
  bool on() const { return !sinks_.empty(); }
  bool wantsTimes() const { return wants_.times; }
  bool wantsReasons() const { return wants_.reasons; }
  bool wantsValues() const { return on() && capture_.keepsAny(); }
  bool wantsValue(TensorId tensor, int rank) const {
    return on() && levelOf(tensor, rank) != CaptureLevel::None;
  }
  // Before there are tensors. Shards of more bytes than wholeUpTo are kept as statistics.
  void setCapture(Capture capture, std::size_t wholeUpTo = kWholeUpTo) {
    capture_ = std::move(capture);
    wholeUpTo_ = wholeUpTo;
  }

  // Nanoseconds since the recording began, by another clock than the time that passes.
  void setClock(std::function<std::int64_t()> clock) { clock_ = std::move(clock); }
  std::int64_t now() const;

  // Those of the step that runs, of this kind.
  CollectiveCounts::Count& collectives(std::string_view kind) { return counts_.of(step_, kind); }
  const std::vector<CollectiveCounts::Count>& collectives() const { return counts_.all(); }

  // Called when a collective begins, by its kind, whether there are sinks or not.
  void onCollective(std::function<void(std::string_view)> told) { collective_ = std::move(told); }
  void beginCollective(std::string_view kind) const {
    if (collective_) collective_(kind);
  }

  // The mesh of the recording: only tensors that lie on another one say so.
  void setMesh(DeviceMesh mesh) { mesh_ = std::move(mesh); }

  void meta(std::string_view key, std::string_view value);
  StringId intern(std::string_view text);
  SpecId intern(SpecRecord spec);  // 0 without sinks
  TensorId addTensor(std::string_view name, SpecId spec);
  TensorId addTensor(std::string_view name, SpecRecord spec) {
    return addTensor(name, intern(std::move(spec)));
  }
  BufferId nextBuffer() { return ++buffers_; }
  std::uint32_t nextOf(StringId group) { return ++sequences_[group]; }  // collective, from 1
  // What a rank holds of a tensor now, row by row; of the newest event unless it says which. Keeps
  // as much of it as is wanted.
  void value(ValueRecord value, std::span<const std::byte> elements);
  // That another rank holds the same as was told last. False: that must be told, for something else
  // of it is wanted.
  bool valueAgain(int rank);

  // What every event gets until it is changed: the scenario's step and line, and, unless it says
  // itself, who it concerns.
  void setStep(int step, int line);
  void setRanks(std::string_view ranks) { ranks_ = intern(ranks); }
  void setSite(const SiteRecord& site) { site_ = intern(siteText(site)); }
  void setDevice(std::string_view device) { device_ = intern(device); }
  // Called when something begins, or is noted, that is inside of nothing, or of a step alone: for a
  // program that does not say by itself where it is. It may begin a step.
  void askFirst(std::function<void()> before) { before_ = std::move(before); }
  // Called inside of an operator that ends with an exception, which is being handled then.
  void onFailure(std::function<void(EventId)> failure) { failure_ = std::move(failure); }
  void failed(EventId call) const {
    if (on() && failure_) failure_(call);
  }

  // Something that took no time, or that ends now and whose duration stands in the event.
  EventId note(Event event);
  // A span: end(id) fills in its duration, which is what it `took` where another clock knows. Spans
  // end in the reverse order of their begin; those that an exception left open inside end with it.
  EventId begin(Event event, std::span<const TensorId> inputs = {});
  void end(EventId id, Took took = std::nullopt);

  // For a destructor, which must not throw: keeps the exception in flight, the first one of
  // several.
  void keepException() noexcept;
  // Throws what was kept, once. The step runner calls it, so that a bug ends the step.
  void rethrow();

 private:
  struct Open {
    EventId id;
    std::int64_t time;
    bool isStep;
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
  void ask();
  void forget();
  EventId append(Event& event, std::span<const TensorId> inputs);

  std::vector<EventSink*> sinks_;
  Wants wants_{.times = false, .reasons = false};  // of all sinks together
  CollectiveCounts counts_;
  std::unordered_map<StringId, std::uint32_t> sequences_;  // by process group
  std::exception_ptr kept_;
  std::vector<Open> open_;
  std::unordered_map<std::string, StringId, TextHash, std::equal_to<>> strings_;
  std::vector<std::string_view> texts_{std::string_view()};  // of strings_, by id
  std::array<Recent, 64> recent_;                            // of strings_, by where they stood
  std::unordered_map<SpecRecord, SpecId, SpecRecordHash> specs_;
  std::optional<DeviceMesh> mesh_;
  std::vector<DType> dtypes_;    // of the specs, in order of their ids
  std::vector<Tensor> tensors_;  // in order of their ids; none where no values are kept
  TensorId lastTensor_ = 0;
  std::chrono::steady_clock::time_point start_;
  std::function<std::int64_t()> clock_;  // else the time that passes
  std::function<void()> before_;
  std::function<void(EventId)> failure_;
  std::function<void(std::string_view)> collective_;
  bool isAsking_ = false;
  std::uint32_t recording_ = 1;
  Capture capture_;
  CaptureLevel toldLevel_ = CaptureLevel::None;
  ValueRecord told_;  // the last one
  std::size_t wholeUpTo_ = kWholeUpTo;
  EventId events_ = 0;
  BufferId buffers_ = 0;
  StringId ranks_ = 0;
  StringId site_ = 0;
  StringId device_ = 0;
  int step_ = -1;
  int line_ = 0;
};

// Ends its span when it leaves scope, also by an exception.
class Span {
 public:
  Span(Recorder& recorder, const Event& event, std::span<const TensorId> inputs = {})
      : recorder_(recorder), id_(recorder.on() ? recorder.begin(event, inputs) : 0) {}
  ~Span() {
    if (id_ == 0) return;
    try {
      recorder_.end(id_, took_);
    } catch (...) {
      recorder_.keepException();
    }
  }
  Span(const Span&) = delete;
  Span& operator=(const Span&) = delete;
  EventId id() const { return id_; }
  // By a better clock than the recorder's, where there is one.
  void took(Recorder::Took took) { took_ = took; }

 private:
  Recorder& recorder_;
  EventId id_;
  Recorder::Took took_;
};

}  // namespace shardlens
