#include "app/bench/gpu/copy_clock.h"
#include "app/bench/gpu/figure.h"
#include "app/bench/nccl/rank_memory.h"
#include "app/bench/nccl/raw_nccl.h"
#include "core/comm/nccl/device/copy_kernel.h"
#include "core/comm/nccl/device/nccl_collectives.h"
#include "core/comm/nccl/device/probe.h"
#include "kernels/cuda/reduce.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <iostream>
#include <numeric>
#include <optional>

// shardlens-nccl-bench: measures collectives beside NCCL alone, and those of the ranks of one GPU
// beside a copy of as many bytes. Prints a line per figure.

namespace shardlens {
namespace {

constexpr int kMeasured = 0;
constexpr int kFailed = 1;
// The first version, as ncclGetVersion() encodes it, that supports several NCCL ranks on one GPU.
constexpr int kSeveralPerGpuSince = 23000;

// Sums float32 elements on the default stream, which is the computing stream of this program.
void sumOnGpu(int, const std::vector<const void*>& addends, const std::vector<void*>& outputs,
              std::int64_t count, Reduction) {
  kernels::cuda::reduceTerms({addends, outputs, kernels::ElementType::Float32, count},
                             kernels::ReduceOp::Sum, 1, nullptr);
}

// The ranks of this process, all in one group.
class Ranks {
 public:
  Ranks(std::unique_ptr<NcclCollectives> collectives, const RankMemory& memory)
      : collectives_(std::move(collectives)),
        memory_(memory),
        hosted_(static_cast<std::size_t>(memory.ranks())) {
    std::iota(hosted_.begin(), hosted_.end(), 0);
    groups_.groups = {hosted_};
  }

  // Each rank has a partial value of `bytes` bytes.
  void allReduce(std::int64_t bytes) {
    const BlockReduction sum{{ReduceOp::Sum}, sizeof(float), ncclFloat32, sumOnGpu};
    collectives_->allReduce(groups_, hosted_, memory_.inputs(bytes), memory_.outputs(bytes), sum);
  }
  // Each rank receives `bytes` bytes in total, its own part included.
  void allGather(std::int64_t bytes) {
    collectives_->allGather(groups_, hosted_, memory_.inputs(bytes / memory_.ranks()),
                            memory_.outputParts(bytes));
  }
  // Each rank has `bytes` bytes, in equal parts for all ranks.
  void allToAll(std::int64_t bytes) {
    collectives_->allToAll(groups_, hosted_, memory_.inputParts(bytes), memory_.outputParts(bytes));
  }
  void synchronize() { collectives_->synchronize(); }

 private:
  std::unique_ptr<NcclCollectives> collectives_;
  const RankMemory& memory_;
  std::vector<int> hosted_;
  GroupSet groups_;
};

// Returns the nanoseconds per call in a series of 20 calls: the median of five series.
template <class Calls, class Call>
double nanosecondsOf(Calls& calls, Call call) {
  constexpr int kCalls = 20;
  std::array<double, 5> series{};
  call();
  calls.synchronize();
  for (auto& each : series) {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < kCalls; ++i) call();
    calls.synchronize();
    const std::chrono::duration<double, std::nano> taken = std::chrono::steady_clock::now() - start;
    each = taken.count() / kCalls;
  }
  std::sort(series.begin(), series.end());
  return series[series.size() / 2];
}

std::string sizeText(std::int64_t bytes) {
  return bytes < 1 << 20 ? std::to_string(bytes >> 10) + " KiB"
                         : std::to_string(bytes >> 20) + " MiB";
}

// Measures all collectives in all sizes. `suffix` is appended to each name. `copies` may be null.
template <class Calls>
void measureCalls(Calls& calls, std::int64_t ranks, const std::string& suffix,
                  bench::CopyClock* copies) {
  for (std::int64_t bytes = 4 << 10; bytes <= RankMemory::kMostBytes; bytes *= 16) {
    const auto report = [&](const char* kind, std::int64_t moved, double nanoseconds) {
      bench::Figure figure{std::string(kind) + " of " + sizeText(bytes) + suffix, nanoseconds};
      if (copies != nullptr) {
        figure.bytes = moved;
        figure.copyNanoseconds = copies->nanosecondsOf(moved);
      }
      bench::print(figure);
    };
    // The bytes are those that one GPU with all ranks has to read and write at least.
    report("all_reduce", 2 * ranks * bytes, nanosecondsOf(calls, [&] { calls.allReduce(bytes); }));
    report("all_gather", (1 + ranks) * bytes,
           nanosecondsOf(calls, [&] { calls.allGather(bytes); }));
    report("all_to_all", 2 * ranks * bytes, nanosecondsOf(calls, [&] { calls.allToAll(bytes); }));
  }
}

void measure(const GpuApi& api, int ranks, int gpus) {
  const auto places = spreadOverGpus(ranks, gpus);
  const RankMemory memory(places);
  const std::string suffix = ", " + std::to_string(ranks) + " ranks on " + std::to_string(gpus) +
                             (gpus == 1 ? " GPU" : " GPUs");
  {
    auto joined = NcclCollectives::join(api, places, 0, {.copyBlocks = copyKernel()});
    if (!joined) throw NcclFailed(joined.error().message);
    Ranks calls(*std::move(joined), memory);
    std::optional<bench::CopyClock> copies;
    if (gpus == 1) copies.emplace();
    measureCalls(calls, ranks, suffix, copies ? &*copies : nullptr);
  }
  // With more kernels on one GPU than two, NCCL can wait forever.
  if (ranks > 2 * gpus || (ranks > gpus && api.ncclVersion < kSeveralPerGpuSince)) return;
  RawNccl raw(api.nccl, places, memory);
  measureCalls(raw, ranks, suffix + ", raw NCCL", nullptr);
}

int run() {
  const auto probe = probeGpus();
  if (!probe.gpus) {
    std::cerr << "shardlens-nccl-bench: no GPU: " << probe.gpus.error().message << '\n';
    return bench::kNoGpu;
  }
  const auto api = loadGpuApi();
  const auto gpus = api ? countGpus(api->cuda) : tl::unexpected(api.error());
  if (!gpus) {
    std::cerr << "shardlens-nccl-bench: " << gpus.error().message << '\n';
    return kFailed;
  }
  std::printf("NCCL %s, CUDA %s, %d x %s\n\n", ncclVersionText(api->ncclVersion).c_str(),
              probe.driver->c_str(), *gpus, probe.gpus->front().name.c_str());
  try {
    if (*gpus > 1) measure(*api, *gpus, *gpus);
    measure(*api, 2 * *gpus, *gpus);
    measure(*api, 4 * *gpus, *gpus);
  } catch (const std::exception& failed) {
    std::cerr << "shardlens-nccl-bench: " << failed.what() << '\n';
    return kFailed;
  }
  return kMeasured;
}

}  // namespace
}  // namespace shardlens

int main() { return shardlens::run(); }
