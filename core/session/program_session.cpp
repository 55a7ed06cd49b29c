#include "core/session/program_session.h"

#include "core/base/refusal.h"
#include "core/cluster/process_hooks.h"
#include "core/cluster/rendezvous.h"
#include "core/model/ranks_text.h"
#include "core/tensor/caches/plan_cache.h"
#include "core/tensor/caches/strategy_cache.h"
#include "core/tensor/dispatch/make_runtime.h"
#include "core/trace/recorder/event_makers.h"

#include <ATen/SequenceNumber.h>
#include <fmt/core.h>
#include <torch/csrc/autograd/function.h>

#include <algorithm>
#include <filesystem>
#include <utility>

namespace shardlens {
namespace {

// Returns the mesh of the default runtime: `mesh` if it contains all ranks, else a 1-D mesh of all
// ranks.
DeviceMesh firstMesh(const DeviceMesh& mesh, int ranks) {
  auto all = mesh.ranks();
  std::sort(all.begin(), all.end());
  const bool isWhole = static_cast<int>(all.size()) == ranks && all.back() == ranks - 1;
  return isWhole ? mesh : orRefuse(DeviceMesh::make({ranks}));
}

}  // namespace

// The recording in progress.
struct ProgramSession::Recording {
  EventSink* sink = nullptr;
  Capture capture = {};
  Program program = {};
  ForwardSites sites = {};
  bool isAttached = false;  // false until the first mesh creates a recorder
  int step = -1;
  EventId span = 0;          // event of the current step
  std::string next = {};     // name of the step that the next call begins; empty: none
  std::string failure = {};  // message of the last failed operator
  EventId failed = 0;        // its Error event
};

const Backend& ProgramSession::backend() {
  if (backend_) return *backend_;
  const auto warn = [](const std::string& what) { fmt::print(stderr, "shardlens: {}\n", what); };
  backend_ = isLaunched() ? orRefuse(Backend::gloo({.warn = warn, .interrupted = {}})) : Backend();
  if (backend_->hasProcesses()) {
    ranks_ = backend_->processes();
    isFixed_ = true;
  }
  return *backend_;
}

void ProgramSession::leave(const std::string& why) {
  if (backend_) backend_->leave(why);
}

int ProgramSession::rank() { return backend().firstRank(ranks_); }

void ProgramSession::init(int ranks) {
  if (ranks < 1) throw Refusal(fmt::format("ranks: got {}, expected 1 or more", ranks));
  orRefuse(backend().verify(ranks));
  if (ranks != ranks_ && runtimes_) {
    if (recording_) {
      throw Refusal(fmt::format("ranks: got {}, expected the {} ranks of the running recording",
                                ranks, ranks_));
    }
    runtimes_.reset();
  }
  ranks_ = ranks;
  isFixed_ = true;
}

int ProgramSession::check(const DeviceMesh& mesh) {
  backend();
  const auto ranks = mesh.ranks();
  const int needed = std::max(*std::max_element(ranks.begin(), ranks.end()) + 1, mesh.size());
  if (needed > ranks_ && (isFixed_ || (recording_ && runtimes_))) {
    throw Refusal(
        fmt::format("Mesh should not be bigger than default world size {}, but found {} ranks!",
                    ranks_, needed));
  }
  return needed;
}

std::shared_ptr<Runtime> ProgramSession::on(const DeviceMesh& mesh) {
  const int needed = check(mesh);
  if (needed > ranks_) {
    ranks_ = needed;
    runtimes_.reset();
  }
  if (!runtimes_) {
    runtimes_.emplace(makeRuntime(firstMesh(mesh, ranks_), backend().communicator(ranks_),
                                  {.unknown = UnknownOperators::Replicated}));
    runtimes_->scenarios()->recorder().onCollective(collective_);
    attach();
  }
  return runtimes_->on(mesh);
}

void ProgramSession::onCollective(std::function<void(CollectiveKind)> callback) {
  collective_ = std::move(callback);
  if (runtimes_) runtimes_->scenarios()->recorder().onCollective(collective_);
}

void ProgramSession::record(EventSink& sink, Capture capture, Program program) {
  if (recording_) throw Refusal("record: got a second recording, expected the first one to end");
  recording_ = std::make_shared<Recording>();
  recording_->sink = &sink;
  recording_->capture = std::move(capture);
  recording_->program = std::move(program);
  attach();
}

void ProgramSession::attach() {
  if (!recording_ || !runtimes_) return;
  Recorder& recorder = runtimes_->scenarios()->recorder();
  // Cached entries refer to events of an earlier recording, or to none.
  for (const auto& runtime : runtimes_->all()) {
    runtime->strategyCache().clear();
    runtime->planCache().clear();
  }
  recorder.addSink(*recording_->sink);
  recorder.setCapture(recording_->capture);
  const std::string& file = recording_->program.file;
  recorder.meta("path", file);
  recorder.meta("title", std::filesystem::path(file).filename().string());
  recorder.meta("mesh", toText(*runtimes_->scenarios()->mesh()));
  recorder.meta("masking", "fused");
  recorder.meta("planner", plannerName(runtimes_->scenarios()->options().planner));
  recorder.meta("backend", backend().name());
  const auto hosted = ranksText({runtimes_->scenarios()->comm().hosted()});
  recorder.meta("hosted", hosted);
  recorder.setRanks(hosted);
  recorder.onUnscopedEvent([this] { beforeUnscopedEvent(); });
  recorder.onFailure([this](EventId call) { noteFailure(call); });
  recording_->isAttached = true;
}

void ProgramSession::beforeUnscopedEvent() {
  Recorder& recorder = runtimes_->scenarios()->recorder();
  const auto node = torch::autograd::get_current_node();
  const auto gradient = node ? std::optional(node->sequence_nr()) : std::nullopt;
  const auto site =
      recording_->sites.of(recording_->program.where(), gradient, at::sequence_number::peek());
  const int line = site->file == recording_->program.file ? site->line : 0;
  recorder.setSite(*site);
  if (!recording_->next.empty()) {
    const std::string name = std::exchange(recording_->next, {});
    recorder.setStep(++recording_->step, line);
    recording_->span = recorder.begin(makeStep(recorder, name));
  }
  recorder.setStep(recording_->step, line);
}

void ProgramSession::nextStep(std::string name) {
  if (!recording_) return;
  if (recording_->span != 0) {
    runtimes_->scenarios()->recorder().end(std::exchange(recording_->span, 0));
  }
  recording_->next = std::move(name);
}

// An operator inside this call has recorded the failure already.
void ProgramSession::noteFailure(EventId call) {
  if (recording_->failed > call) return;
  std::string message = recording_->program.failure();
  if (message.empty()) return;
  Recorder& recorder = runtimes_->scenarios()->recorder();
  recording_->failed = recorder.note(makeError(recorder, message));
  recording_->failure = std::move(message);
}

void ProgramSession::noteError(const std::string& message) {
  if (!recording_ || !recording_->isAttached || message == recording_->failure) return;
  Recorder& recorder = runtimes_->scenarios()->recorder();
  recorder.note(makeError(recorder, message));
}

void ProgramSession::stop() {
  if (!recording_) return;
  nextStep({});
  if (recording_->isAttached) {
    Recorder& recorder = runtimes_->scenarios()->recorder();
    recorder.onUnscopedEvent({});
    recorder.onFailure({});
    recorder.removeSinks();
  }
  recording_.reset();
}

}  // namespace shardlens
