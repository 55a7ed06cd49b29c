#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string_view>

namespace shardlens {

// The clock of a measurement: wall time, or processor time of all threads of this process.
enum class Clock { Wall, Processor };

// Returns Processor for one thread, so that other programs do not count, and Wall for several.
inline Clock clockFor(int threads) { return threads == 1 ? Clock::Processor : Clock::Wall; }
// Returns the name for tables: "wall" or "processor".
std::string_view clockName(Clock clock);

// A duration in microseconds by both clocks.
struct Taken {
  double wall = 0;
  double processor = 0;

  double by(Clock clock) const { return clock == Clock::Wall ? wall : processor; }
  Taken operator/(int calls) const { return {wall / calls, processor / calls}; }
};

void to_json(nlohmann::json& json, const Taken& taken);
void from_json(const nlohmann::json& json, Taken& taken);

// Measures the time since its construction.
class CallTimer {
 public:
  CallTimer() : start_(now()) {}
  Taken taken() const;

 private:
  static Taken now();

  Taken start_;
};

// Returns the mean duration of a call. Doubles the number of calls until a series takes at least
// five milliseconds of wall time, and uses only that last series.
template <class Call>
Taken meanOf(Call call) {
  constexpr double kEnough = 5000;
  for (int calls = 1;; calls *= 2) {
    const CallTimer watch;
    for (int i = 0; i < calls; ++i) call();
    const Taken taken = watch.taken();
    if (taken.wall >= kEnough) return taken / calls;
  }
}

}  // namespace shardlens
