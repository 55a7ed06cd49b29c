#include "core/session/session.h"

#include "core/session/answer.h"
#include "core/session/calls.h"
#include "core/session/collective_tally.h"
#include "core/session/step_text.h"
#include "core/tensor/explain.h"
#include "core/tensor/refusal.h"
#include "core/trace/journal.h"

#include <c10/util/Exception.h>

#include <algorithm>

namespace shardlens {
namespace {

using Json = nlohmann::ordered_json;

std::string meshText(const DeviceMesh& mesh) {
  std::string sizes, names;
  for (int dim = 0; dim < mesh.ndim(); ++dim) {
    sizes += (dim > 0 ? "x" : "") + std::to_string(mesh.size(dim));
    names += (dim > 0 ? "," : "") + mesh.names()[static_cast<std::size_t>(dim)];
  }
  return sizes + ":" + names;
}

}  // namespace

class Session::Impl {
 public:
  Impl(Scenario scenario, SessionOptions options)
      : scenario_(std::move(scenario)),
        runtime_(Runtime::simulated(scenario_.mesh, {scenario_.masking, options.caches})) {
    Recorder& recorder = runtime_->recorder();
    recorder.addSink(tally_);
    for (auto* sink : options.sinks) recorder.addSink(*sink);
    recorder.setCapture(options.capture);
    recorder.meta("scenario", scenario_.source);
    recorder.meta("path", scenario_.path);
    recorder.meta("title", scenario_.title);
    recorder.meta("mesh", meshText(scenario_.mesh));
    recorder.meta("masking", scenario_.masking == Masking::Fused ? "fused" : "stepwise");
    recorder.meta("backend", "simulated");
    const auto hosted = ranksText({runtime_->comm().hosted()});
    recorder.meta("hosted", hosted);
    recorder.setRanks(hosted);
  }

  // Tensors that outlive the session must not write to its sinks.
  ~Impl() {
    values_.clear();
    runtime_->recorder().removeSinks();
  }

  bool step() {
    if (error_ || next_ == scenario_.steps.size()) return false;
    const auto& step = scenario_.steps[next_];
    runtime_->recorder().setStep(static_cast<int>(next_), step.line);
    ++next_;
    Recorder& recorder = runtime_->recorder();
    Event event;
    event.kind = EventKind::Step;
    event.name = recorder.intern(stepText(step));
    const Span span(recorder, event);
    if (auto failure = attempt(step)) refuse(step, *failure);
    return !error_;
  }

  bool ok() const { return !error_; }

  Json answer() const {
    Json answer;
    answer["shardlens"] = 1;
    answer["ok"] = ok();
    answer["results"] = results_;
    answer["collectives"] = Json::array();
    for (const auto& count : tally_.counts()) {
      answer["collectives"].push_back(
          {{"step", scenario_.steps[static_cast<std::size_t>(count.step)].id},
           {"kind", count.kind},
           {"count", count.count},
           {"bytes", count.bytes}});
    }
    answer["error"] = error_ ? *error_ : Json();
    return answer;
  }

 private:
  // The one place where exceptions end, libtorch's and ours.
  std::optional<std::string> attempt(const ScenarioStep& step) {
    try {
      runtime_->recorder().setResultName(step.json.contains("id") ? step.id : std::string());
      auto result = runCall(runtime_, values_, step);
      keep(step, std::move(result));
      return std::nullopt;
    } catch (const c10::Error& error) {
      return error.what_without_backtrace();
    } catch (const std::exception& error) {
      return error.what();
    }
  }

  void keep(const ScenarioStep& step, StepResult result) {
    for (std::size_t i = 0; i < result.tensors.size(); ++i) {
      const auto& tensor = result.tensors[i];
      if (!tensor.defined()) continue;
      const std::string name =
          result.form == StepResult::Form::One ? step.id : step.id + "." + std::to_string(i);
      if (!isSharded(tensor)) {
        throw Refusal(step.id + ": got a plain tensor for a result, expected a sharded one");
      }
      record(tensor, name);
      results_[name] = describeResult(tensor);
      values_.insert_or_assign(name, tensor);
    }
  }

  // An in-place step's result is an earlier one, which keeps its name.
  void record(const at::Tensor& tensor, const std::string& name) const {
    auto& impl = shardedImpl(tensor);
    if (impl.name() == name) return;
    const bool earlier = std::any_of(values_.begin(), values_.end(), [&](const auto& value) {
      return value.second.is_same(tensor);
    });
    const TensorId known = impl.record();
    const std::string knownName = impl.name();
    recordResult(tensor, name);
    if (earlier) impl.setRecord(known, knownName);
  }

  void refuse(const ScenarioStep& step, const std::string& message) {
    Recorder& recorder = runtime_->recorder();
    error_ = Json{{"step", step.id}, {"message", message}};
    Event event;
    event.kind = EventKind::Error;
    event.name = recorder.intern(message);
    recorder.note(event);
  }

  Scenario scenario_;
  CollectiveTally tally_;
  std::shared_ptr<Runtime> runtime_;
  Values values_;
  Json results_ = Json::object();
  std::optional<Json> error_;
  std::size_t next_ = 0;
};

Session::Session(Scenario scenario, SessionOptions options)
    : impl_(std::make_unique<Impl>(std::move(scenario), std::move(options))) {}
Session::~Session() = default;
bool Session::step() { return impl_->step(); }
bool Session::ok() const { return impl_->ok(); }
Json Session::answer() const { return impl_->answer(); }

}  // namespace shardlens
