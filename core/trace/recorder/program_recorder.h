#pragma once

#include "core/trace/recorder/forward_sites.h"
#include "core/trace/recorder/recorder.h"
#include "core/trace/recorder/step_selection.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace shardlens {

// Attributes the events of a program that calls operators itself, such as a Python program, to its
// steps and source locations. While it is attached to a Recorder, it sets the step, line and site
// of each top-level event: an event outside of any span but a step. Not thread safe.
class ProgramRecorder {
 public:
  // The state of libtorch's autograd on the program's thread; see ForwardSites::of().
  struct Autograd {
    std::optional<std::uint64_t> gradient = {};  // the node that runs; nullopt in forward
    std::uint64_t next = 0;                      // number of the next node; 0 if unknown
  };
  // The program. The callbacks run before each top-level event. They may call stop(), as another
  // thread does to which they give Python's lock.
  struct Program {
    std::string file;                                         // events have lines of this file
    std::function<std::shared_ptr<const SiteRecord>()> site;  // never returns null
    std::function<Autograd()> autograd;
    // The steps whose operators are recorded; nullopt: all. See step_operators.h.
    std::optional<StepSelection> operators = {};
  };

  explicit ProgramRecorder(Program program) : program_(std::move(program)) {}
  // Detaches without ending the current step. Call stop() to end it.
  ~ProgramRecorder();
  ProgramRecorder(const ProgramRecorder&) = delete;
  ProgramRecorder& operator=(const ProgramRecorder&) = delete;

  // Begins to attribute the recorder's events, by its hook onUnscopedEvent(). The recorder must
  // live until stop(), or longer than this object.
  void attach(Recorder& recorder);
  // Ends the current step and detaches. Does nothing if not attached.
  void stop();

  // Ends the current step. A step of this name begins with the next top-level event. The Step event
  // of the ended step is closed at that point, with its duration up to this call. `name` must not
  // be empty.
  void nextStep(std::string name);
  // Withdraws the step that nextStep() announced: the current step continues. Returns false if an
  // event has begun that step already.
  bool cancelStep();
  // Begins the step that nextStep() announced, if any, as an event would. Does nothing inside of an
  // operator.
  void beginStep();
  // Returns true if the operators of the announced step, else of the current one, are recorded.
  bool recordsOperators() const { return records(next_.empty() ? step_ : step_ + 1); }
  // Returns true once after steps without operators have begun: what was known of the tensors
  // before may have changed.
  bool takeGap() { return std::exchange(hasGap_, false); }
  // Records an Error event. Outside of any operator it belongs to the step that ran last, not to
  // one that nextStep() has announced. Returns its id; 0 if not attached. Before the first step it
  // begins the announced one.
  EventId error(std::string_view message);

 private:
  void beforeTopLevelEvent();
  void endStep();
  bool records(int step) const;

  Program program_;
  Recorder* recorder_ = nullptr;  // null: not attached
  ForwardSites forward_;
  std::shared_ptr<const SiteRecord> site_;  // the site set last in recorder_
  int line_ = 0;                            // of site_ in the program's file, else 0
  int step_ = -1;
  EventId span_ = 0;                   // the Step event of the current step
  std::int64_t began_ = 0;             // time of the current step
  std::optional<std::int64_t> ended_;  // time of nextStep()
  std::string next_;                   // name of the announced step; empty: none
  bool hasGap_ = false;                // see takeGap()
};

}  // namespace shardlens
