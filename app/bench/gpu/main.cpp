#include "app/bench/gpu/cases.h"

#include <cstdio>
#include <exception>

// shardlens-gpu-bench: measures the CUDA kernels on the first GPU. Prints a line per kernel: time,
// bytes that it has to read and write at least, bandwidth, and the time of a copy of as many bytes.
// torch_figures.py measures torch's operators on the same cases.

namespace {

constexpr int kFailed = 1;

void measure() {
  using namespace shardlens::bench;
  std::printf("%s\n\n", gpuText().c_str());
  Cases cases(print);
  cases.lookups();
  cases.gradients();
  cases.pieces();
  cases.reductions();
  cases.losses();
}

}  // namespace

int main() {
  if (const auto why = shardlens::bench::whyNoGpu(); !why.empty()) {
    std::fprintf(stderr, "shardlens-gpu-bench needs an NVIDIA GPU: %s\n", why.c_str());
    return shardlens::bench::kNoGpu;
  }
  try {
    measure();
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "shardlens-gpu-bench: %s\n", failure.what());
    return kFailed;
  }
  return 0;
}
