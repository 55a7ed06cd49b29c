#pragma once

#include "core/session/backend.h"
#include "core/session/runtimes.h"
#include "core/trace/journal/capture.h"
#include "core/trace/journal/event_sink.h"
#include "core/trace/journal/forward_sites.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace shardlens {

// The ranks that a program runs on which calls operators by itself: all of them simulated in this
// process, or, where torchrun or another launcher started several, an equal share in each,
// connected by Gloo; the runtimes of its meshes, and its recording. One thread at a time may use
// it.
class World {
 public:
  // How many ranks there are. Until that is said, as many as processes, or else as the first mesh
  // has, and anew for each larger one: tensors of before do not mix with those. Refused while a
  // recording has begun, and where the processes cannot share them evenly.
  void init(int ranks);
  int ranks() const { return ranks_; }  // 0: not known yet
  // What carries the collectives. Whoever asks first waits for the other processes to come.
  const Backend& backend();
  // Takes leave of the other processes, for good: see Backend.
  void leave(const std::string& why);
  // The lowest rank that this process hosts.
  int rank();

  // How many ranks the mesh asks for. Throws Refusal where it has other ones than were said.
  int check(const DeviceMesh& mesh);
  // Meshes that are equal share a runtime, which runs operators without a rule whole on every rank.
  // Throws Refusal where the mesh has other ranks.
  std::shared_ptr<Runtime> on(const DeviceMesh& mesh);
  // None before the first mesh.
  const std::optional<Runtimes>& runtimes() const { return runtimes_; }

  // Tells each collective's kind when it begins, of all meshes, until another call.
  void onCollective(std::function<void(std::string_view)> told);

  // What a recording asks of its program.
  struct Program {
    std::string file;
    // Where it is when a call begins.
    std::function<std::shared_ptr<const SiteRecord>()> where;
    // What it is told of the exception that is being handled; empty: that is none of an operator's.
    std::function<std::string()> failure;
  };
  // Tells the sink what happens from now on, until stop(). The sink must outlive the recording, and
  // `capture` says how much of values it gets.
  void record(EventSink& sink, Capture capture, Program program);
  void stop();
  bool isRecording() const { return recording_ != nullptr; }
  // What the program does next is a step of its own, by this name. Nothing while nobody records.
  void nextStep(std::string name);
  // That the program failed, for the recording, unless the operator that it failed in was the last
  // to do so.
  void noteError(const std::string& message);

 private:
  struct Recording;

  void attach();
  void ask();
  void noteFailure(EventId call);

  int ranks_ = 0;
  bool isSaid_ = false;
  std::optional<Backend> backend_;
  std::optional<Runtimes> runtimes_;
  std::shared_ptr<Recording> recording_;
  std::function<void(std::string_view)> collective_;
};

}  // namespace shardlens
