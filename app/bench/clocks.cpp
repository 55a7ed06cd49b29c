#include "app/bench/clocks.h"

#include <nlohmann/json.hpp>

#include <ctime>

namespace shardlens {
namespace {

double read(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) * 1e6 + static_cast<double>(time.tv_nsec) / 1e3;
}

}  // namespace

std::string_view clockName(Clock clock) { return clock == Clock::Wall ? "wall" : "processor"; }

void to_json(nlohmann::json& json, const Taken& taken) {
  json = {{"wall", taken.wall}, {"processor", taken.processor}};
}

void from_json(const nlohmann::json& json, Taken& taken) {
  taken = {json.at("wall").get<double>(), json.at("processor").get<double>()};
}

Taken CallTimer::now() { return {read(CLOCK_MONOTONIC), read(CLOCK_PROCESS_CPUTIME_ID)}; }

Taken CallTimer::taken() const {
  const Taken end = now();
  return {end.wall - start_.wall, end.processor - start_.processor};
}

}  // namespace shardlens
