#include "core/session/program_session.h"

#include "core/base/refusal.h"
#include "core/cluster/process_hooks.h"
#include "core/cluster/rendezvous.h"
#include "core/model/ranks_text.h"
#include "core/tensor/caches/plan_cache.h"
#include "core/tensor/caches/strategy_cache.h"
#include "core/tensor/dispatch/make_runtime.h"

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

ProgramRecorder::Autograd autogradState() {
  const auto node = torch::autograd::get_current_node();
  return {.gradient = node ? std::optional(node->sequence_nr()) : std::nullopt,
          .next = at::sequence_number::peek()};
}

}  // namespace

// The recording in progress.
struct ProgramSession::Recording {
  Recording(EventSink& to, Capture captured, Program of);

  EventSink& sink;
  Capture capture;
  std::string file;  // path of the program
  std::function<std::string()> failureText;
  ProgramRecorder program;
  bool isAttached = false;   // false until the first mesh creates a recorder
  std::string failure = {};  // message of the last failed operator
  EventId failed = 0;        // its Error event
};

ProgramSession::Recording::Recording(EventSink& to, Capture captured, Program of)
    : sink(to),
      capture(std::move(captured)),
      file(std::move(of.file)),
      failureText(std::move(of.failure)),
      program({.file = file, .site = std::move(of.site), .autograd = autogradState}) {}

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
  recording_ = std::make_shared<Recording>(sink, std::move(capture), std::move(program));
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
  recorder.addSink(recording_->sink);
  recorder.setCapture(recording_->capture);
  const std::string& file = recording_->file;
  recorder.meta("path", file);
  recorder.meta("title", std::filesystem::path(file).filename().string());
  recorder.meta("mesh", toText(*runtimes_->scenarios()->mesh()));
  recorder.meta("masking", "fused");
  recorder.meta("planner", plannerName(runtimes_->scenarios()->options().planner));
  recorder.meta("backend", backend().name());
  const auto hosted = ranksText({runtimes_->scenarios()->comm().hosted()});
  recorder.meta("hosted", hosted);
  recorder.setRanks(hosted);
  recording_->program.attach(recorder);
  recorder.onFailure([this](EventId call) { noteFailure(call); });
  recording_->isAttached = true;
}

void ProgramSession::nextStep(std::string name) {
  if (recording_) recording_->program.nextStep(std::move(name));
}

bool ProgramSession::cancelStep() { return recording_ && recording_->program.cancelStep(); }

// An operator inside this call has recorded the failure already.
void ProgramSession::noteFailure(EventId call) {
  if (recording_->failed > call) return;
  std::string message = recording_->failureText();
  if (message.empty()) return;
  recording_->failed = recording_->program.error(message);
  recording_->failure = std::move(message);
}

void ProgramSession::noteError(const std::string& message) {
  if (!recording_ || !recording_->isAttached || message == recording_->failure) return;
  recording_->program.error(message);
}

void ProgramSession::stop() {
  if (!recording_) return;
  recording_->program.stop();
  if (recording_->isAttached) {
    Recorder& recorder = runtimes_->scenarios()->recorder();
    recorder.onFailure({});
    recorder.removeSinks();
  }
  recording_.reset();
}

}  // namespace shardlens
