#pragma once

#include "core/session/scenario.h"
#include "core/trace/event_sink.h"

#include <nlohmann/json_fwd.hpp>

#include <memory>
#include <string>
#include <vector>

namespace shardlens {

struct SessionOptions {
  std::vector<EventSink*> sinks;  // what the run is written to
  CaptureLevel capture = CaptureLevel::None;
  bool caches = true;  // off: every propagation and plan is made anew
};

// Runs one scenario on its simulated ranks. libtorch's exceptions end here: a step that is refused
// ends the run, and what came before stays.
class Session {
 public:
  Session(Scenario scenario, SessionOptions options);
  ~Session();

  // Runs the next step; false when none is left or one was refused.
  bool step();
  bool ok() const;
  // The answer of `shardlens run --json`, as far as the run has come.
  nlohmann::ordered_json answer() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace shardlens
