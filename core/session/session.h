#pragma once

#include "core/model/modes.h"
#include "core/plan/cost.h"
#include "core/session/backend.h"
#include "core/session/scenario/scenario.h"
#include "core/trace/events/capture.h"
#include "core/trace/events/event_sink.h"

#include <nlohmann/json_fwd.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace shardlens {

// Whether answer() will be called. Collect keeps a snapshot of each result.
enum class Answer { Collect, Skip };

// Whether each result is compared with a plain (unsharded) run of the same step. Checked requires
// simulated ranks.
enum class Results { Trusted, Checked };

struct SessionOptions {
  std::vector<EventSink*> sinks{};  // receive the events; must outlive the session
  Capture capture = {};
  Caches caches = Caches::On;
  UnknownOperators unknown = UnknownOperators::Refused;
  Backend backend{};  // must have verified the mesh's number of ranks
  CostModel costs{};  // used to choose plans and strategies
  Answer answer = Answer::Collect;
  Results results = Results::Trusted;
  // Returns event times in nanoseconds. Default: elapsed time. Ignored in dry runs.
  std::function<std::int64_t()> clock{};
};

// Runs one scenario on the ranks of its backend, step by step. A refused step (Refusal or
// libtorch's exception, in any process) ends the run in all processes; earlier results stay.
// RankLost is passed on. The constructor seeds libtorch's global random generator and calls
// guardMemory(), so do not run sessions of one process concurrently.
class Session {
 public:
  // Prepares the run and writes the recording's metadata; runs no step. Throws Refusal if no
  // library has the scenario's emulation, and CheckFailed for Results::Checked without simulated
  // ranks.
  Session(Scenario scenario, SessionOptions options);
  ~Session();

  // Runs the next step. Returns false if no step is left or a step was refused. Throws RankLost,
  // which is also recorded.
  bool step();
  bool ok() const;  // false once a step was refused
  // Returns "step ID: MESSAGE" once a step was refused, else "".
  std::string error() const;
  // Returns false if a checked result differed from plain torch. True without checks.
  bool agrees() const;
  // Returns the answer of `shardlens run --json` for the steps so far. Requires Answer::Collect.
  // With several processes, all must call it; the leading one gets the merged answer of all ranks,
  // the others their own.
  nlohmann::ordered_json answer() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace shardlens
