#pragma once

#include "core/model/modes.h"
#include "core/plan/cost.h"
#include "core/session/backend.h"
#include "core/session/scenario.h"
#include "core/trace/event_sink.h"

#include <nlohmann/json_fwd.hpp>

#include <memory>
#include <string>
#include <vector>

namespace shardlens {

struct SessionOptions {
  std::vector<EventSink*> sinks{};  // what the run is written to
  CaptureLevel capture = CaptureLevel::None;
  Caches caches = Caches::On;
  Backend backend{};  // has verified the number of ranks
  CostModel costs{};  // by which plans and strategies are chosen
};

// Runs one scenario on the ranks of its backend. libtorch's exceptions end here: a step that is
// refused, by any process, ends the run in all of them, and what came before stays. A lost process
// leaves as ProcessLost.
class Session {
 public:
  Session(Scenario scenario, SessionOptions options);
  ~Session();

  // Runs the next step; false when none is left or one was refused.
  bool step();
  bool ok() const;
  // "step y: ..." once one was refused.
  std::string error() const;
  // The answer of `shardlens run --json`, as far as the run has come. All processes ask together;
  // the one that leads gets the answer of all ranks, each other one that of its own.
  nlohmann::ordered_json answer() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace shardlens
