#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string_view>

namespace shardlens {

// Work on one thread is measured by the processor's clock, so that other programs do not count;
// work on several by the wall's.
enum class Clock { Wall, Processor };

inline Clock clockFor(int threads) { return threads == 1 ? Clock::Processor : Clock::Wall; }
std::string_view clockName(Clock clock);

// Microseconds by both clocks.
struct Taken {
  double wall = 0;
  double processor = 0;

  double by(Clock clock) const { return clock == Clock::Wall ? wall : processor; }
  Taken operator/(int calls) const { return {wall / calls, processor / calls}; }
};

void to_json(nlohmann::json& json, const Taken& taken);
void from_json(const nlohmann::json& json, Taken& taken);

class CallTimer {
 public:
  CallTimer() : start_(now()) {}
  Taken taken() const;

 private:
  static Taken now();

  Taken start_;
};

// The mean of one call of many, so many that they take five milliseconds together.
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
