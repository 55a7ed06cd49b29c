#include "app/bench/gpu/figure.h"
#include "app/bench/gpu/gpu.h"
#include "app/bench/temporary_folder.h"
#include "core/comm/nccl/nccl_gpus.h"
#include "core/tensor/dispatch/make_runtime.h"
#include "core/tensor/distribute.h"
#include "core/tensor/redistribute/redistribute.h"
#include "core/trace/file/trace_writer.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <cuda_runtime_api.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <functional>
#include <iostream>
#include <stdexcept>
#include <vector>

// shardlens-end-to-end-bench: measures calls of the engine on 1, 2 and 4 ranks of one GPU, without
// and with a recording. With --simulated, the ranks are simulated on the CPU. Prints a line per
// call: the time until the GPU is done, and the time until the call returns ("host"). Results are
// freed at once, unless the name says that they are kept. Ids are checked once, unless they are
// written. torch_end_to_end.py measures the same calls of plain torch.

namespace shardlens {
namespace {

constexpr int kFailed = 1;
constexpr std::int64_t kTableRows = std::int64_t{1} << 20;

// The calls that are measured, on one number of ranks.
class Calls {
 public:
  // `gpus` is null for simulated ranks.
  Calls(int ranks, NcclGpus* gpus)
      : ranks_(ranks),
        onGpus_(gpus != nullptr),
        runtime_(runtimeOf(ranks, gpus)),
        ones_(distribute(runtime_, at::ones({ranks}), {Shard{0}})),
        table_(distribute(runtime_, at::randn({kTableRows, 64}), {Shard{0}})),
        fewIds_(ids(16)),
        manyIds_(ids(65536)),
        partial_(distribute(runtime_, at::ones({ranks, 1024}), {Shard{0}}).sum(0)) {}

  void measure() {
    measureAll("");
    measureRecorded(", recorded", /*times=*/false);
    measureRecorded(", recorded with times", /*times=*/true);
  }

 private:
  static std::shared_ptr<Runtime> runtimeOf(int ranks, NcclGpus* gpus) {
    auto mesh = DeviceMesh::make({ranks}).value();
    return gpus != nullptr ? makeRuntime(std::move(mesh), gpus->communicator(ranks))
                           : makeSimulatedRuntime(std::move(mesh));
  }

  at::Tensor ids(std::int64_t count) const {
    return distribute(runtime_, at::randint(kTableRows, {count}, at::kLong), {Replicate{}});
  }

  void measureAll(const std::string& suffix) const {
    const Placements whole{Replicate{}};
    measureCall("add of 1 element" + suffix, 500, [&] { at::add(ones_, ones_); });
    measureCall("lookup of 16 of 1M x 64" + suffix, 200, [&] { at::embedding(table_, fewIds_); });
    measureCall("lookup of 65536 of 1M x 64" + suffix, 30,
                [&] { at::embedding(table_, manyIds_); });
    measureCall("lookup of 65536 of 1M x 64 and sum" + suffix, 30,
                [&] { redistribute(at::embedding(table_, manyIds_), whole); });
    measureCall("write of 65536 ids and lookup of 1M x 64" + suffix, 30, [&] {
      at::Tensor(manyIds_).bitwise_xor_(1);
      at::embedding(table_, manyIds_);
    });
    std::vector<at::Tensor> kept;
    measureCall("lookup of 65536 of 1M x 64, results kept" + suffix, 30, [&] {
      if (kept.size() == 30) kept.clear();
      kept.push_back(at::embedding(table_, manyIds_));
    });
    if (ranks_ == 1) return;
    measureCall("P(sum) of 4 KiB -> R" + suffix, 100, [&] { redistribute(partial_, whole); });
    measureCall("S(0) of 1 element a rank -> R" + suffix, 100, [&] { redistribute(ones_, whole); });
  }

  void measureRecorded(const std::string& suffix, bool times) const {
    const TemporaryFolder folder;
    auto writer =
        TraceWriter::create(folder.path() / "run.shardlens", {.times = times, .reasons = false});
    if (!writer) throw std::runtime_error(writer.error().message);
    runtime_->recorder().addSink(**writer);
    measureAll(suffix);
    runtime_->recorder().removeSinks();
    if (const auto closed = (*writer)->close(); !closed) {
      throw std::runtime_error(closed.error().message);
    }
  }

  // Takes the median of seven series of calls, after two calls to warm up.
  void measureCall(const std::string& name, int calls, const std::function<void()>& call) const {
    using Clock = std::chrono::steady_clock;
    using Nanoseconds = std::chrono::duration<double, std::nano>;
    std::array<double, 7> host{}, whole{};
    for (int i = 0; i < 2; ++i) call();
    waitForGpu();
    for (std::size_t series = 0; series < host.size(); ++series) {
      const auto start = Clock::now();
      for (int i = 0; i < calls; ++i) call();
      host[series] = Nanoseconds(Clock::now() - start).count() / calls;
      waitForGpu();
      whole[series] = Nanoseconds(Clock::now() - start).count() / calls;
    }
    std::sort(host.begin(), host.end());
    std::sort(whole.begin(), whole.end());
    const std::string ranks = std::to_string(ranks_) + (ranks_ == 1 ? " rank" : " ranks");
    bench::Figure figure{name + ", " + ranks, whole[whole.size() / 2]};
    figure.hostNanoseconds = host[host.size() / 2];
    bench::print(figure);
  }

  void waitForGpu() const {
    if (onGpus_) bench::check(cudaDeviceSynchronize(), "end of the GPU's work");
  }

  int ranks_;
  bool onGpus_;
  std::shared_ptr<Runtime> runtime_;
  at::Tensor ones_, table_, fewIds_, manyIds_, partial_;
};

int run(bool simulated) {
  std::shared_ptr<NcclGpus> gpus;
  if (!simulated) {
    auto opened = NcclGpus::open(nullptr);
    if (!opened) {
      std::cerr << "shardlens-end-to-end-bench: " << opened.error().message << '\n';
      return bench::kNoGpu;
    }
    gpus = *std::move(opened);
  }
  const c10::NoGradGuard noGrad;
  try {
    for (const int ranks : {1, 2, 4}) Calls(ranks, gpus.get()).measure();
  } catch (const std::exception& failed) {
    std::cerr << "shardlens-end-to-end-bench: " << failed.what() << '\n';
    return kFailed;
  }
  return 0;
}

}  // namespace
}  // namespace shardlens

int main(int count, char** arguments) {
  const bool simulated = count == 2 && std::strcmp(arguments[1], "--simulated") == 0;
  if (count > 1 && !simulated) {
    std::cerr << "usage: shardlens-end-to-end-bench [--simulated]\n";
    return 2;
  }
  return shardlens::run(simulated);
}
