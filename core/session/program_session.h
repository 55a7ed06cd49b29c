#pragma once

#include "core/session/backend.h"
#include "core/session/runtimes.h"
#include "core/trace/events/capture.h"
#include "core/trace/events/event_sink.h"
#include "core/trace/recorder/program_recorder.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace shardlens {

// The global state of a Python program that calls operators itself: its ranks, the runtimes of its
// meshes, and its recording. All ranks are simulated in this process, unless a launcher such as
// torchrun started several processes; these share the ranks evenly, connected by Gloo. Not
// thread-safe: one thread at a time.
class ProgramSession {
 public:
  // Sets the number of ranks. Without this call, it is the number of processes, or the ranks of the
  // first mesh, and grows with each larger mesh. A change discards all runtimes: older tensors do
  // not mix with newer ones. Throws Refusal if the number changes while a recording has runtimes,
  // or if the processes cannot share the ranks evenly.
  void init(int ranks);
  int ranks() const { return ranks_; }  // 0: unknown
  // Returns the backend. The first call joins the launched processes and blocks until all have
  // joined.
  const Backend& backend();
  // Disconnects from the other processes for good; see Backend::leave(). Does nothing before the
  // first call of backend().
  void leave(const std::string& why);
  // Returns the lowest rank that this process hosts. May join the processes. 0 without several
  // processes.
  int rank();

  // Returns the number of ranks that the mesh needs. Throws Refusal if that exceeds a number of
  // ranks that is already fixed. Joins the launched processes if needed.
  int check(const DeviceMesh& mesh);
  // Returns the mesh's runtime, creating it if needed. Equal meshes share one. It runs operators
  // without a rule on replicated inputs. Throws Refusal as check(), or for a rank that does not
  // exist.
  std::shared_ptr<Runtime> on(const DeviceMesh& mesh);
  // Returns nullopt before the first mesh.
  const std::optional<Runtimes>& runtimes() const { return runtimes_; }

  // Sets a callback that receives each collective's kind when it begins, on all meshes. Replaces
  // the previous callback; an empty one removes it.
  void onCollective(std::function<void(CollectiveKind)> callback);

  // Callbacks by which a recording queries the program.
  struct Program {
    std::string file;  // path of the program
    // Returns the current source location; see ProgramRecorder.
    std::function<std::shared_ptr<const SiteRecord>()> site;
    // Returns the message of the exception being handled. "" means that it is not an operator's
    // failure and is not recorded.
    std::function<std::string()> failure;
  };
  // Sends all events to `sink` until stop(). `sink` must outlive the recording. `capture` selects
  // which values are captured. Events begin with the first mesh; strategy and plan caches are
  // cleared. Throws Refusal if a recording is running.
  void record(EventSink& sink, Capture capture, Program program);
  // Ends the current step and the recording. Does nothing without a recording.
  void stop();
  bool isRecording() const { return recording_ != nullptr; }
  // See ProgramRecorder::nextStep() and cancelStep(). Without a recording, nextStep() does nothing
  // and cancelStep() returns false.
  void nextStep(std::string name);
  bool cancelStep();
  // As ProgramRecorder::error(), unless the last failed operator already recorded the same message.
  // Does nothing without a recording, or before its first mesh.
  void noteError(const std::string& message);

 private:
  struct Recording;

  // Connects the recording to the runtimes' recorder, once both exist.
  void attach();
  // Called by the recorder inside an operator that failed.
  void noteFailure(EventId call);

  int ranks_ = 0;
  bool isFixed_ = false;  // ranks_ is fixed by init() or by the processes
  std::optional<Backend> backend_;
  std::optional<Runtimes> runtimes_;
  std::shared_ptr<Recording> recording_;
  std::function<void(CollectiveKind)> collective_;
};

}  // namespace shardlens
