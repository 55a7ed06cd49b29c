#include "core/session/session.h"

#include "core/base/check.h"
#include "core/base/json_text.h"
#include "core/base/rank_lost.h"
#include "core/base/refusal.h"
#include "core/model/ranks_text.h"
#include "core/session/additions.h"
#include "core/session/attempt.h"
#include "core/session/calls.h"
#include "core/session/check/result_check.h"
#include "core/session/mask_changes.h"
#include "core/session/memory_guard.h"
#include "core/session/merged_answer.h"
#include "core/session/result_json.h"
#include "core/session/scenario/step_text.h"
#include "core/session/sharded_tensors.h"
#include "core/tensor/dispatch/make_runtime.h"
#include "core/tensor/events/explain.h"
#include "core/tensor/queued_id_checks.h"
#include "core/trace/events/event_names.h"
#include "core/trace/journal/journal.h"
#include "core/trace/recorder/event_makers.h"

#include <ATen/Context.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <unordered_set>

namespace shardlens {
namespace {

using Json = nlohmann::ordered_json;

std::int64_t nanoseconds(EstimatedTime time) {
  constexpr double kMost = 9e18;  // int64 limit; links of a topology may be arbitrarily slow
  return std::llround(std::min(time.count() * 1e3, kMost));
}

// Returns the step's module and pass; empty if the step names no module.
SiteRecord siteOf(const ScenarioStep& step) {
  const auto module = step.json.find("module");
  if (module == step.json.end()) return {};
  const bool isBackward = step.json["call"].get<std::string>().ends_with("backward");
  return {.module = module->get<std::string>(), .pass = isBackward ? "backward" : "forward"};
}

}  // namespace

class Session::Impl {
 public:
  Impl(Scenario scenario, SessionOptions options)
      : scenario_(std::move(scenario)),
        collectsAnswer_(options.answer == Answer::Collect),
        backend_(std::move(options.backend)),
        runtimes_(makeRuntime(scenario_.mesh, backend_.communicator(scenario_.mesh.size()),
                              RuntimeOptions{.masking = scenario_.masking,
                                             .caches = options.caches,
                                             .costs = options.costs,
                                             .planner = scenario_.planner,
                                             .redistributions = scenario_.redistributions,
                                             .maskPolicy = addedMaskPolicy(scenario_.emulation),
                                             .unknown = options.unknown})) {
    SL_CHECK(options.results == Results::Trusted || backend_.transport() == Transport::Simulated,
             "ranks that are checked are simulated");
    if (options.results == Results::Checked) check_.emplace();
    guardMemory();
    at::manual_seed(0);  // in every process, because random numbers are part of the answer
    Recorder& recorder = this->recorder();
    if (backend_.isDry())
      recorder.setClock([backend = backend_] { return nanoseconds(backend.estimated()); });
    else if (options.clock)
      recorder.setClock(std::move(options.clock));
    for (auto* sink : options.sinks) recorder.addSink(*sink);
    recorder.setCapture(std::move(options.capture));
    recorder.meta("scenario", scenario_.source);
    recorder.meta("path", scenario_.path);
    recorder.meta("title", scenario_.title);
    recorder.meta("mesh", toText(scenario_.mesh));
    recorder.meta("masking", scenario_.masking == Masking::Fused ? "fused" : "stepwise");
    if (scenario_.emulation != Emulation::None) {
      recorder.meta("emulate", emulationName(scenario_.emulation));
    }
    recorder.meta("planner", plannerName(scenario_.planner));
    recorder.meta("backend", backend_.name());
    const auto hosted = ranksText({this->hosted()});
    recorder.meta("hosted", hosted);
    recorder.setRanks(hosted);
    const auto device = runtimes_.scenarios()->comm().device(this->hosted().front());
    if (this->hosted().size() == 1 && device.is_cuda()) recorder.setDevice(device.str());
  }

  // Detaches the sinks, because tensors may outlive the session.
  ~Impl() {
    values_.clear();
    try {
      noteKeptException();
    } catch (...) {  // the sink failed; its close() reports why
    }
    recorder().removeSinks();
  }

  bool step() {
    if (error_ || next_ == scenario_.steps.size()) return false;
    const auto& step = scenario_.steps[next_];
    Recorder& recorder = this->recorder();
    recorder.setStep(static_cast<int>(next_), step.line);
    recorder.setSite(siteOf(step));
    ++next_;
    backend_.setStep("step " + step.id);
    const Event event = recorder.on() ? makeStep(recorder, stepText(step)) : Event();
    {
      const Span span(recorder, event);
      try {
        run(step);
      } catch (const RankLost& lost) {
        noteError(lost.what());
        throw;
      }
    }
    if (ok() && isLast()) endRun(step);
    const bool ends = !ok() || isLast();
    recorder.readDurations(ends ? Recorder::Wait::Yes : Recorder::Wait::No);
    return ok();
  }

  bool ok() const { return !error_; }
  bool agrees() const { return !check_ || check_->allAgree(); }

  std::string error() const {
    if (ok()) return {};
    return "step " + error_->at("step").get<std::string>() + ": " +
           error_->at("message").get<std::string>();
  }

  Json answer() const {
    SL_CHECK(collectsAnswer_, "Answer::Collect is required");
    Json answer;
    answer["shardlens"] = 1;
    answer["ok"] = ok();
    answer["results"] = shownResults();
    answer["collectives"] = Json::array();
    for (const auto& count : recorder().collectives()) {
      answer["collectives"].push_back(
          {{"step", scenario_.steps[static_cast<std::size_t>(count.step)].id},
           {"kind", collectiveName(count.kind)},
           {"count", count.count},
           {"bytes", count.bytes}});
      if (backend_.isDry()) answer["collectives"].back()["microseconds"] = count.nanoseconds / 1e3;
    }
    if (!maskTally_.changes().empty()) answer["mask_buffers"] = maskTally_.changes();
    if (check_) answer["check"] = check_->answer();
    if (backend_.isDry()) answer["microseconds"] = backend_.estimated().count();
    answer["error"] = error_ ? *error_ : Json();
    if (backend_.processes() == 1) return answer;
    const auto answers = backend_.gatherStrings("the answer", jsonText(answer));
    return backend_.leads() ? mergedAnswer(answers) : answer;
  }

 private:
  Recorder& recorder() const { return runtimes_.scenarios()->recorder(); }

  const std::vector<int>& hosted() const { return runtimes_.scenarios()->comm().hosted(); }

  // The results of one step.
  struct Made {
    std::vector<NamedResult> results;
    std::vector<NamedResult> shown;  // snapshots for the answer, unaffected by later in-place steps
  };

  // A result of the answer, and the step that made it.
  struct Shown {
    NamedResult result;
    int step;
  };

  // Returns the answer's results, in the order in which names first appeared.
  Json shownResults() const {
    Json::object_t shown;
    for (const auto& [result, step] : shown_) {
      const auto& [name, tensor] = result;
      auto& fields = static_cast<Json::object_t::Container&>(shown);  // appends without a lookup
      fields.emplace_back(name, describeResult(tensor, hosted()));
    }
    return shown;
  }

  // Runs a step, agrees with the other processes, and stores the results.
  void run(const ScenarioStep& step) {
    auto made = attempt(step);
    const auto agreed = backend_.agree("step " + step.id, made.map([](const auto&) {}));
    if (!agreed) return refuse(step, agreed.error().message);
    for (auto& result : made->shown) show(std::move(result));
    for (auto& result : made->results) keep(std::move(result));
    *made = {};  // releases unnamed tensors and their mask holds
    if (collectsAnswer_) maskTally_.take(step.id, runtimes_.maskBuffers());
  }

  // After the last step, reports exceptions from destructors of that step.
  void endRun(const ScenarioStep& step) {
    const auto ended =
        backend_.agree("the end of step " + step.id, attempt([this] { recorder().rethrow(); }));
    if (!ended) refuse(step, ended.error().message);
  }

  Result<Made> attempt(const ScenarioStep& step) {
    Made made;
    const auto done = attempt([&] {
      recorder().rethrow();  // an exception that a destructor kept since the last step
      runtimes_.scenarios()->resultNames().setId(step.json.contains("id") ? step.id
                                                                          : std::string());
      if (check_) check_->begin();
      made.results = shardedResults(step);
      // Collectives may complete after their step. The barrier makes their errors appear before the
      // run ends.
      if (isLast() && backend_.processes() == 1) runtimes_.scenarios()->comm().allGatherStrings({});
      record(made.results);
      if (check_) check_->end(recorder(), step, values_, made.results);
      if (collectsAnswer_) made.shown = snapshots(made.results);
      recorder().rethrow();
    });
    // Reads the queued checks of ids where the GPUs are waited for anyway. A bad id comes before
    // another error of this step, because its lookup does.
    if (!done || isLast() || recorder().recordsValues()) {
      const auto checked = attempt([this] { runtimes_.scenarios()->idChecks().settle(); });
      if (!checked) return tl::unexpected(checked.error());
    }
    if (!done) return tl::unexpected(done.error());
    return made;
  }

  bool isLast() const { return next_ == scenario_.steps.size(); }

  template <class Run>
  Result<void> attempt(const Run& run) const {
    return shardlens::attempt(backend_.isDry() ? Data::LeftOut : Data::Made, run);
  }

  std::vector<NamedResult> shardedResults(const ScenarioStep& step) {
    ShardedTensors tensors(runtimes_);
    auto results = namedResults(step, runCall(tensors, values_, step));
    for (const auto& result : results) {
      if (isDTensor(result.tensor)) continue;
      throw Refusal(step.id + ": got a plain tensor for a result, expected a sharded one");
    }
    return results;
  }

  static std::vector<NamedResult> snapshots(const std::vector<NamedResult>& results) {
    std::vector<NamedResult> shown;
    for (const auto& [name, tensor] : results) {
      shown.push_back({name, at::Tensor(dtensorImpl(tensor).snapshot())});
    }
    return shown;
  }

  // Stores a result under its name, for later steps.
  void keep(NamedResult result) {
    auto& value = values_[result.name];
    if (value.defined()) held_.erase(held_.find(value.unsafeGetTensorImpl()));
    held_.insert(result.tensor.unsafeGetTensorImpl());
    value = std::move(result.tensor);
  }

  // Stores a snapshot for the answer. A later result of the same name replaces it.
  void show(NamedResult result) {
    const auto [at, isNew] = resultAt_.try_emplace(result.name, shown_.size());
    Shown shown{std::move(result), recorder().step()};
    if (isNew) {
      shown_.push_back(std::move(shown));
    } else {
      shown_[at->second] = std::move(shown);
    }
  }

  // Records the step's results under their names.
  void record(const std::vector<NamedResult>& results) const {
    std::unordered_set<const c10::TensorImpl*> known;
    for (const auto& [name, tensor] : results) {
      const auto* impl = tensor.unsafeGetTensorImpl();
      const bool isNew = known.insert(impl).second && !held_.contains(impl);
      record(tensor, name, /*earlier=*/!isNew);
    }
  }

  // The result of an in-place step is an earlier tensor, which keeps its recorded name.
  static void record(const at::Tensor& tensor, const std::string& name, bool earlier) {
    auto& impl = dtensorImpl(tensor);
    if (impl.name() == name) return;
    const TensorId known = impl.record();
    const std::string knownName = impl.name();
    recordResult(tensor, name);
    if (earlier) impl.setRecord(known, knownName);
  }

  // A lookup whose ids were checked late is refused in its own step, and the results from there on
  // are dropped.
  void refuse(const ScenarioStep& step, const std::string& message) {
    const auto late = runtimes_.scenarios()->idChecks().refusedStep();
    const auto& refused = late ? scenario_.steps[static_cast<std::size_t>(*late)] : step;
    error_ = Json{{"step", refused.id}, {"message", message}};
    if (late) std::erase_if(shown_, [&](const Shown& shown) { return shown.step >= *late; });
    noteError(refused.id == step.id ? message : "step " + refused.id + ": " + message);
  }

  void noteError(const std::string& message) { recorder().note(makeError(recorder(), message)); }

  // Records exceptions that destructors kept after the last step.
  void noteKeptException() {
    try {
      recorder().rethrow();
    } catch (const std::exception& bug) {
      noteError(bug.what());
    }
  }

  Scenario scenario_;
  bool collectsAnswer_;
  MaskChanges maskTally_;
  Backend backend_;
  Runtimes runtimes_;
  Values values_;
  std::unordered_multiset<const c10::TensorImpl*> held_;   // the tensors in values_
  std::vector<Shown> shown_;                               // snapshots, by first appearance
  std::unordered_map<std::string, std::size_t> resultAt_;  // index in shown_
  std::optional<Json> error_;
  std::optional<ResultCheck> check_;
  std::size_t next_ = 0;
};

Session::Session(Scenario scenario, SessionOptions options)
    : impl_(std::make_unique<Impl>(std::move(scenario), std::move(options))) {}
Session::~Session() = default;
bool Session::step() { return impl_->step(); }
bool Session::ok() const { return impl_->ok(); }
bool Session::agrees() const { return impl_->agrees(); }
std::string Session::error() const { return impl_->error(); }
Json Session::answer() const { return impl_->answer(); }

}  // namespace shardlens
