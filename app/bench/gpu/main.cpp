#include "app/bench/gpu/cases.h"

#include <cstdio>
#include <ctime>
#include <exception>

// shardlens-gpu-bench: measures the CUDA kernels on the first GPU. Prints a line per kernel: time,
// bytes that it has to read and write at least, bandwidth, and share of a copy's bandwidth.
// torch_figures.py writes, and beside_torch.py reads, lines of the same format.

namespace {

constexpr int kFailed = 1;
constexpr int kNoGpu = 77;  // the exit code of a skipped test in build systems

void print(const shardlens::bench::Figure& figure, double copied) {
  const double speed = figure.gigabytesPerSecond();
  std::printf("%-58s %10.1f us %9.1f MB %8.1f GB/s %6.1f %%\n", figure.name.c_str(),
              figure.nanoseconds / 1e3, static_cast<double>(figure.bytes) / 1e6, speed,
              100 * speed / copied);
  std::fflush(stdout);
}

std::string today() {
  char text[32];
  const std::time_t now = std::time(nullptr);
  std::strftime(text, sizeof text, "%Y-%m-%d", std::gmtime(&now));
  return text;
}

void measure() {
  using namespace shardlens::bench;
  std::printf("%s\ndate     %s\n\n", gpuText().c_str(), today().c_str());
  std::printf("%-58s %13s %12s %13s %8s\n", "", "time", "to move", "moved", "of copy");
  const Figure copy = measureCopy();
  const double copied = copy.gigabytesPerSecond();
  const Tell tell = [&](const Figure& figure) { print(figure, copied); };
  tell(copy);
  measureLookups(tell);
  measureGradients(tell);
  measurePieces(tell);
  measureReductions(tell);
  measureLosses(tell);
}

}  // namespace

int main() {
  if (const auto why = shardlens::bench::whyNoGpu(); !why.empty()) {
    std::fprintf(stderr, "shardlens-gpu-bench needs an NVIDIA GPU: %s\n", why.c_str());
    return kNoGpu;
  }
  try {
    measure();
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "shardlens-gpu-bench: %s\n", failure.what());
    return kFailed;
  }
  return 0;
}
