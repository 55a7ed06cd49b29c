#pragma once

#include "core/model/modes.h"
#include "core/plan/cost.h"
#include "core/session/backend.h"
#include "core/session/scenario/scenario.h"
#include "core/trace/journal/capture.h"
#include "core/trace/journal/event_sink.h"

#include <nlohmann/json_fwd.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace shardlens {

// Whether anybody will ask for the answer: what it says of each result is kept as the step left it.
enum class Answer { Wanted, Unwanted };

// Whether results are taken as they are, or each is compared with that of a plain program that runs
// beside; for simulated ranks alone.
enum class Results { Trusted, Checked };

struct SessionOptions {
  std::vector<EventSink*> sinks{};  // what the run is written to
  Capture capture = {};
  Caches caches = Caches::On;
  UnknownOperators unknown = UnknownOperators::Refused;
  Backend backend{};  // has verified the number of ranks
  CostModel costs{};  // by which plans and strategies are chosen
  Answer answer = Answer::Wanted;
  Results results = Results::Trusted;
  std::function<std::int64_t()> clock{};  // of the events, in nanoseconds; else time as it passes
};

// Runs one scenario on the ranks of its backend. libtorch's exceptions end here: a step that is
// refused, by any process, ends the run in all of them, and what came before stays. A lost process
// leaves as RankLost. Seeds libtorch's random generator, which is the process's: sessions of one
// process run one after another.
class Session {
 public:
  Session(Scenario scenario, SessionOptions options);
  ~Session();

  // Runs the next step; false when none is left or one was refused.
  bool step();
  bool ok() const;
  // "step y: ..." once one was refused.
  std::string error() const;
  // Whether no result so far differs from the plain one, as far as they were compared.
  bool agrees() const;
  // The answer of `shardlens run --json`, as far as the run has come, where it was wanted. All
  // processes ask together; the one that leads gets the answer of all ranks, each other one that of
  // its own.
  nlohmann::ordered_json answer() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace shardlens
