#pragma once

#include "core/model/step_number.h"
#include "core/trace/events/event_references.h"
#include "core/trace/events/event_sink.h"
#include "core/trace/recorder/step_selection.h"

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace shardlens {

// A sink that forwards some events to another sink, as a recording with separate ids: those of
// selected steps, from some time on. Forwards errors of all steps. Texts, specs, routes and tensors
// are forwarded when an event refers to them. A tensor that was made in a step that is not
// forwarded gets a Result event before its first use, in the step of that use and at the place that
// made it. Other references to events that were not forwarded are 0. Not thread safe.
//
// Uses bounded memory for tensors: only the first 131,072 tensors (the parameters of a model) and
// the last 131,072 that were created are known. References to the remaining ones are 0.
class PartialSink final : public EventSink {
 public:
  static constexpr TensorId kMostFirst = 1 << 17;
  static constexpr TensorId kMostRecent = 1 << 17;

  // Forwards nothing until forwardTo(). `steps`: nullopt selects all steps.
  explicit PartialSink(std::optional<StepSelection> steps) : steps_(std::move(steps)) {}

  // Begins a new recording in `to`, with all metadata so far and the events from now on. `to` must
  // live until the next call. Null: forwards nothing.
  void forwardTo(EventSink* to);
  // Returns true if the events of this step are forwarded; see Event::step.
  bool has(int step) const { return to_ != nullptr && (!steps_ || steps_->has(stepNumber(step))); }

  void onMeta(std::string_view key, std::string_view value) override;
  void onString(StringId id, std::string_view text) override;
  void onSpec(SpecId id, const Spec& spec) override;
  void onRoute(RouteId id, const Route& route) override;
  void onTensor(TensorId id, StringId name, SpecId spec) override;
  using EventSink::onEvent;
  void onEvent(EventId id, const Event& event, std::span<const TensorId> inputs) override;
  void onValue(const ValueRecord& value) override;
  void onExposed(EventId id, std::int64_t exposed) override;
  void onEnd(EventId id, std::int64_t duration) override;

 private:
  // A text, spec or route, and its forwarded id; 0: not forwarded yet.
  template <class T>
  struct Known {
    T value;
    std::uint32_t id = 0;
  };
  struct Tensor {
    TensorId own = 0;  // 0: none
    TensorId id = 0;   // forwarded; 0: not yet
    StringId name = 0;
    SpecId spec = 0;
    bool isMade = false;  // a Result event was seen that is not forwarded
    Event result = {};    // of that
  };
  // Consecutive events own, own + 1, ... end - 1 that are forwarded as id, id + 1, ....
  struct Run {
    EventId own, end, id;
  };

  // Returns the forwarded id. Forwards the value before, if it is not yet forwarded; `last` is the
  // last id of its kind.
  template <class T, class Forward>
  static std::uint32_t idOf(Known<T>& known, std::uint32_t& last, const Forward& forward);
  StringId textOf(StringId own);
  SpecId specOf(SpecId own);
  RouteId routeOf(RouteId own);
  Tensor* find(TensorId own);
  // Forwards the tensor if needed, and its Result before `use`.
  TensorId tensorOf(TensorId own, const Event& use);
  EventId eventOf(EventId own) const;
  std::uint32_t referenceOf(std::uint32_t own, Reference reference, const Event& use);
  void forward(Event event, std::span<const TensorId> inputs);

  std::optional<StepSelection> steps_;
  EventSink* to_ = nullptr;
  std::map<std::string, std::string, std::less<>> meta_;
  std::deque<Known<std::string>> texts_{{}};  // by id; so are the next two
  std::deque<Known<Spec>> specs_{{}};
  std::deque<Known<Route>> routes_{{}};
  StringId lastText_ = 0;  // forwarded; so are the next four
  SpecId lastSpec_ = 0;
  RouteId lastRoute_ = 0;
  TensorId lastTensor_ = 0;
  EventId lastEvent_ = 0;
  std::vector<Tensor> first_, recent_;  // by id - 1, and by id modulo kMostRecent
  std::vector<Run> runs_;               // ascending
};

}  // namespace shardlens
