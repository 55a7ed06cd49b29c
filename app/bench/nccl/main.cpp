#include "core/comm/nccl/device/copy_kernel.h"
#include "core/comm/nccl/device/nccl_collectives.h"
#include "core/comm/nccl/device/probe.h"
#include "shardlens_gpu_build.h"

#ifdef SHARDLENS_WITH_CUDA
#include "kernels/cuda/reduce.h"
#endif

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <iostream>
#include <numeric>

namespace shardlens {
namespace {

constexpr int kMeasured = 0;
constexpr int kFailed = 1;
constexpr int kNoGpu = 3;

// Returns the kernel that adds floats on a GPU. Empty in a build without CUDA kernels.
LocalReduce sumKernel() {
#ifdef SHARDLENS_WITH_CUDA
  return [](int, const std::vector<const void*>& addends, const std::vector<void*>& outputs,
            std::int64_t count, Reduction) {
    kernels::cuda::reduceTerms({addends, outputs, kernels::ElementType::Float32, count},
                               kernels::ReduceOp::Sum, 1, nullptr);
  };
#else
  return {};
#endif
}

// The ranks of this process, all in one group. Each has an input and an output of kMostBytes.
class Ranks {
 public:
  static constexpr std::int64_t kMostBytes = std::int64_t{256} << 20;

  Ranks(const GpuApi& api, std::unique_ptr<NcclCollectives> ranks, int count)
      : api_(api), ranks_(std::move(ranks)), hosted_(static_cast<std::size_t>(count)) {
    std::iota(hosted_.begin(), hosted_.end(), 0);
    groups_.groups = {hosted_};
    for (const int rank : hosted_) {
      in_.push_back(allocate(rank));
      out_.push_back(allocate(rank));
    }
  }
  ~Ranks() {
    for (const auto* buffers : {&in_, &out_}) {
      for (void* data : *buffers) api_.cuda.free(data);
    }
  }
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;

  std::int64_t count() const { return static_cast<std::int64_t>(hosted_.size()); }

  // Each rank has a partial value of `bytes` bytes.
  void allReduce(std::int64_t bytes) {
    const BlockReduction sum{{ReduceOp::Sum}, sizeof(float), ncclFloat32, sumKernel()};
    ranks_->allReduce(groups_, hosted_, whole(in_, bytes), whole(out_, bytes), sum);
  }
  // Each rank receives `bytes` bytes in total, its own part included.
  void allGather(std::int64_t bytes) {
    ranks_->allGather(groups_, hosted_, whole(in_, bytes / count()), pieces(out_, bytes));
  }
  // Each rank has `bytes` bytes, in equal parts for all ranks.
  void allToAll(std::int64_t bytes) {
    ranks_->allToAll(groups_, hosted_, pieces(in_, bytes), pieces(out_, bytes));
  }

  // Returns the seconds per call in a series of 20 calls: the median of five series.
  template <class Call>
  double secondsOf(Call call) {
    constexpr int kCalls = 20;
    std::array<double, 5> runs{};
    call();
    ranks_->synchronize();
    for (auto& seconds : runs) {
      const auto start = std::chrono::steady_clock::now();
      for (int i = 0; i < kCalls; ++i) call();
      ranks_->synchronize();
      const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
      seconds = taken.count() / kCalls;
    }
    std::sort(runs.begin(), runs.end());
    return runs[runs.size() / 2];
  }

 private:
  void* allocate(int rank) const {
    const OnDevice current(api_.cuda, ranks_->device(rank));
    void* data = nullptr;
    const cudaError_t error = api_.cuda.malloc(&data, kMostBytes);
    if (error != cudaSuccess) throw NcclFailed(api_.cuda.getErrorString(error));
    return data;
  }
  static Blocks whole(const std::vector<void*>& buffers, std::int64_t bytes) {
    Blocks blocks;
    for (void* data : buffers) blocks.push_back({data, bytes});
    return blocks;
  }
  BlockLists pieces(const std::vector<void*>& buffers, std::int64_t bytes) const {
    BlockLists lists;
    for (void* data : buffers) {
      auto& list = lists.emplace_back();
      for (std::int64_t i = 0; i < count(); ++i) {
        list.push_back({static_cast<char*>(data) + i * (bytes / count()), bytes / count()});
      }
    }
    return lists;
  }

  const GpuApi& api_;
  std::unique_ptr<NcclCollectives> ranks_;
  std::vector<int> hosted_;
  GroupSet groups_;
  std::vector<void*> in_, out_;
};

// Prints the time and the bus bandwidth in GB/s as defined by nccl-tests: bytes * share / time,
// where `share` is the part of the bytes that a rank has to send at least.
void print(std::int64_t bytes, double seconds, double share) {
  std::printf("  %9.1f us %7.1f GB/s", seconds * 1e6,
              static_cast<double>(bytes) * share / seconds / 1e9);
}

void measure(const GpuApi& api, int ranks, int gpus) {
  auto joined =
      NcclCollectives::join(api, spreadOverGpus(ranks, gpus), 0, {.copyBlocks = copyKernel()});
  if (!joined) throw NcclFailed(joined.error().message);
  Ranks all(api, *std::move(joined), ranks);
  const double others = static_cast<double>(ranks - 1) / ranks;
  const bool reduces = ranks == gpus || sumKernel();
  std::printf("\n%d ranks on %d GPU%s\n%12s%26s%26s%26s\n", ranks, gpus, gpus == 1 ? "" : "s",
              "bytes", "all_reduce", "all_gather", "all_to_all");
  for (std::int64_t bytes = 4 << 10; bytes <= Ranks::kMostBytes; bytes *= 16) {
    std::printf("%12lld", static_cast<long long>(bytes));
    if (reduces) {
      print(bytes, all.secondsOf([&] { all.allReduce(bytes); }), 2 * others);
    } else {
      std::printf("%26s", "");  // requires a kernel that reduces on the GPU first
    }
    print(bytes, all.secondsOf([&] { all.allGather(bytes); }), others);
    print(bytes, all.secondsOf([&] { all.allToAll(bytes); }), others);
    std::printf("\n");
    std::fflush(stdout);
  }
}

int run() {
  const auto probe = probeGpus();
  if (!probe.gpus) {
    std::cerr << "shardlens-nccl-bench: no GPU: " << probe.gpus.error().message << '\n';
    return kNoGpu;
  }
  const auto api = loadGpuApi();
  const auto gpus = api ? countGpus(api->cuda) : tl::unexpected(api.error());
  if (!gpus) {
    std::cerr << "shardlens-nccl-bench: " << gpus.error().message << '\n';
    return kFailed;
  }
  std::printf("NCCL %s, CUDA %s, %d x %s\n", ncclVersionText(api->ncclVersion).c_str(),
              probe.driver->c_str(), *gpus, probe.gpus->front().name.c_str());
  try {
    if (*gpus > 1) measure(*api, *gpus, *gpus);
    measure(*api, 2 * *gpus, *gpus);
    measure(*api, 4 * *gpus, *gpus);
  } catch (const NcclFailed& failed) {
    std::cerr << "shardlens-nccl-bench: " << failed.what() << '\n';
    return kFailed;
  }
  return kMeasured;
}

}  // namespace
}  // namespace shardlens

int main() { return shardlens::run(); }
