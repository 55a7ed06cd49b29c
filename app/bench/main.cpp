// shardlens-bench: what sharding costs beside plain libtorch, measured side by side in one run.

#include "app/bench/measurements.h"
#include "app/bench/ratios.h"

#include <ATen/Parallel.h>
#include <benchmark/benchmark.h>

#include <cstdio>
#include <string>
#include <vector>

namespace {

void printHelp() {
  std::puts(
      "shardlens-bench [--json FILE] [--benchmark_OPTION ...]\n"
      "\n"
      "Measures sharded operators beside plain ones, repetitions interleaved, and prints medians,\n"
      "their spread and a table of ratios. --json writes all repetitions to a file.\n"
      "Google Benchmark's own options work too: --benchmark_filter=REGEX,\n"
      "--benchmark_repetitions=N, --benchmark_min_time=SECONDS, --benchmark_list_tests=true.");
}

// Ours first, so that Google Benchmark's given by the user win.
std::vector<std::string> withDefaults(int argc, char** argv) {
  std::vector<std::string> args = {argv[0], "--benchmark_enable_random_interleaving=true",
                                   "--benchmark_repetitions=9", "--benchmark_min_time=0.02",
                                   "--benchmark_display_aggregates_only=true"};
  for (int i = 1; i < argc; ++i) {
    const std::string arg = argv[i];
    if (arg == "--json" && i + 1 < argc) {
      args.push_back(std::string("--benchmark_out=") + argv[++i]);
      args.emplace_back("--benchmark_out_format=json");
    } else {
      args.push_back(arg);
    }
  }
  return args;
}

}  // namespace

int main(int argc, char** argv) {
  auto args = withDefaults(argc, argv);
  std::vector<char*> pointers;
  for (auto& arg : args) pointers.push_back(arg.data());
  int count = static_cast<int>(pointers.size());
  benchmark::Initialize(&count, pointers.data(), printHelp);
  if (benchmark::ReportUnrecognizedArguments(count, pointers.data())) return 2;
  at::set_num_threads(1);
  shardlens::registerMeasurements();
  shardlens::RatioReporter reporter;
  return benchmark::RunSpecifiedBenchmarks(&reporter) == 0 ? 1 : 0;
}
