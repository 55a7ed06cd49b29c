#include "app/cli/commands.h"
#include "app/engine/engine_programs.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace shardlens::cli {
namespace {

// Raises `signal` in this process when event number `at` is recorded.
class Fate final : public EventSink {
 public:
  Fate(EventId at, int signal) : at_(at), signal_(signal) {}

  SinkRequests requests() const override { return {.times = false, .reasons = false}; }
  void onMeta(std::string_view, std::string_view) override {}
  void onString(StringId, std::string_view) override {}
  void onSpec(SpecId, const Spec&) override {}
  void onRoute(RouteId, const Route&) override {}
  void onTensor(TensorId, StringId, SpecId) override {}
  void onEvent(EventId id, const Event&, std::span<const TensorId>) override {
    if (id != at_) return;
    std::fprintf(stderr, "here it happens\n");
    std::raise(signal_);
  }
  void onValue(const ValueRecord&) override {}
  void onEnd(EventId, std::int64_t) override {}

 private:
  EventId at_;
  int signal_;
};

const char* variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// `shardlens run ...`. The process with RANK=$SHARDLENS_VICTIM gets the signal $SHARDLENS_SIGNAL at
// event number $SHARDLENS_EVENTS.
int start(int argc, char** argv) {
  Fate fate(static_cast<EventId>(std::stoul(variable("SHARDLENS_EVENTS"))),
            std::stoi(variable("SHARDLENS_SIGNAL")));
  const auto strike = [&](RunOptions options) {
    if (std::string(variable("SHARDLENS_VICTIM")) == variable("RANK"))
      options.sinks.push_back(&fate);
    return run(options);
  };
  return runProgram(argc, argv, {.run = strike, .ops = ops, .doctor = doctor, .serve = runEngine});
}

}  // namespace
}  // namespace shardlens::cli

int main(int argc, char** argv) { return shardlens::cli::start(argc, argv); }
