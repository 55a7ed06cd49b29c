#include "app/bench/ratios.h"

#include <cstdio>

namespace shardlens {
namespace {

// A ratio of the medians of two measurements: `name` by `base`.
struct Pair {
  const char* words;
  const char* name;
  const char* base;
};

constexpr Pair kPairs[] = {
    {"sharded add : plain add", "add/sharded", "add/plain"},
    {"sharded add : plain adds of the 4 parts", "add/sharded", "add/plain_4_parts"},
    {"add, caches off : cache hit", "add/caches_off", "add/sharded"},
    {"add, cache miss, 100,000 ranks : 4", "misses/add/100000:d0", "misses/add/4:d0"},
    {"row-wise embedding, cache miss, 100,000 ranks : 4", "misses/embedding/100000:d0",
     "misses/embedding/4:d0"},
    {"plan S(0) -> S(1), 100,000 ranks : 4", "misses/plan/100000:d0", "misses/plan/4:d0"},
    {"add, cache miss, 100x10x100 : 2x2x2", "misses/add/100x10x100:d0,d1,d2",
     "misses/add/2x2x2:d0,d1,d2"},
    {"embedding, cache miss, 100x10x100 : 2x2x2", "misses/embedding/100x10x100:d0,d1,d2",
     "misses/embedding/2x2x2:d0,d1,d2"},
    {"plan, 100x10x100 : 2x2x2", "misses/plan/100x10x100:d0,d1,d2", "misses/plan/2x2x2:d0,d1,d2"},
    {"convolution with a halo, cache miss : embedding, 4", "families/convolution/4:d0",
     "families/embedding/4:d0"},
    {"attention, cache miss : embedding, 4", "families/attention/4:d0", "families/embedding/4:d0"},
    {"convolution with a halo, cache miss : embedding, 2x2x2x2",
     "families/convolution/2x2x2x2:d0,d1,d2,d3", "families/embedding/2x2x2x2:d0,d1,d2,d3"},
    {"attention, cache miss : embedding, 2x2x2x2", "families/attention/2x2x2x2:d0,d1,d2,d3",
     "families/embedding/2x2x2x2:d0,d1,d2,d3"},
    {"row-wise embedding, fused : plain", "embedding/fused", "embedding/plain"},
    {"row-wise embedding, stepwise : plain", "embedding/stepwise", "embedding/plain"},
    {"row-wise embedding, stepwise : fused", "embedding/stepwise", "embedding/fused"},
    {"row-wise embedding, caches off : cache hit", "embedding/caches_off", "embedding/fused"},
    {"S(0) -> R : memcpy, 256 KiB", "S(0)_to_R/256KiB", "copies/256KiB"},
    {"P(sum) -> R : memcpy, 256 KiB", "P(sum)_to_R/256KiB", "copies/256KiB"},
    {"S(0) -> R : memcpy, 64 MiB", "S(0)_to_R/64MiB", "copies/64MiB"},
    {"P(sum) -> R : memcpy, 64 MiB", "P(sum)_to_R/64MiB", "copies/64MiB"},
};

}  // namespace

bool RatioReporter::ReportContext(const Context& context) {
  PrintBasicContext(&GetErrorStream(), context);
  return true;
}

void RatioReporter::ReportRuns(const std::vector<Run>& runs) {
  for (const auto& run : runs) {
    auto& measured = measured_[run.run_name.function_name];
    if (run.aggregate_name == "median") measured.median = run.GetAdjustedCPUTime() / 1e3;
    if (run.aggregate_name == "cv") measured.spread = 100 * run.cpu_accumulated_time;
  }
}

// Skips a pair if a measurement did not run, because of a filter. The spread of a ratio is the sum
// of both spreads.
void RatioReporter::Finalize() {
  std::printf("%-44s %12s\n", "measured", "median, us");
  for (const auto& [name, measured] : measured_) {
    std::printf("%-44s %12.2f +-%3.0f%%\n", name.c_str(), measured.median, measured.spread);
  }
  std::printf("\n%-44s\n", "ratio of medians");
  for (const auto& [words, name, base] : kPairs) {
    const auto first = measured_.find(name), second = measured_.find(base);
    if (first == measured_.end() || second == measured_.end()) continue;
    std::printf("%-44s %12.2f +-%3.0f%%\n", words, first->second.median / second->second.median,
                first->second.spread + second->second.spread);
  }
}

}  // namespace shardlens
