#include "core/comm/nccl/nccl_gpus.h"

#include "shardlens_gpu_build.h"

#ifdef SHARDLENS_WITH_NCCL

#include "core/comm/nccl/device/copy_kernel.h"
#include "core/comm/nccl/device/library.h"
#include "core/comm/nccl/device/nccl_collectives.h"
#include "core/comm/nccl/device/probe.h"
#include "core/comm/nccl/nccl_communicator.h"
#include "core/comm/nccl/nccl_join.h"
#include "core/memory/gpu_scope.h"

#include <cstdlib>

namespace shardlens {
namespace {

// Opens NCCL before libtorch_cuda, so that libtorch_cuda binds to this NCCL.
Result<GpuApi> openLibraries() {
#ifndef SHARDLENS_WITH_CUDA
  return fail("this program was built without kernels for GPUs: build it where nvcc is");
#endif
  const auto probe = probeGpus();
  if (const auto ready = readyForGpus(probe); !ready) return tl::unexpected(ready.error());
  auto api = loadGpuApi();
  if (!api) return api;
  const auto torch = Library::open({probe.torchCuda->string()});
  if (!torch) return fail("torch's part for GPUs does not load: " + torch.error().message);
  return api;
}

cudaStream_t torchsStream(int device) {
  return currentStream({at::kCUDA, static_cast<at::DeviceIndex>(device)});
}

}  // namespace

Result<std::shared_ptr<NcclGpus>> NcclGpus::open(std::shared_ptr<Processes> processes) {
  const auto api = openLibraries();
  if (!api) return tl::unexpected(api.error());
  const auto gpus = countGpus(api->cuda);
  if (!gpus) return tl::unexpected(gpus.error());
  int device = 0;
  int count = *gpus;
  if (processes != nullptr) {
    const auto own = gpuOfProcess(std::getenv("LOCAL_RANK"), processes->process(), *gpus);
    if (!own) return tl::unexpected(own.error());
    device = *own;
    count = 1;
  }
  return std::shared_ptr<NcclGpus>(
      new NcclGpus(std::make_shared<const GpuApi>(*api), device, count, std::move(processes)));
}

NcclGpus::NcclGpus(std::shared_ptr<const GpuApi> api, int device, int count,
                   std::shared_ptr<Processes> processes)
    : api_(std::move(api)), device_(device), count_(count), processes_(std::move(processes)) {}

std::unique_ptr<Communicator> NcclGpus::communicator(int ranks) {
  auto& joined = joined_[ranks];
  if (joined == nullptr) joined = join(ranks);
  std::vector<int> hosted;
  for (int rank = 0; rank < ranks; ++rank) {
    if (joined->rankMap().isOwn(joined->rankMap().ncclRankOf(rank))) hosted.push_back(rank);
  }
  return std::make_unique<NcclCommunicator>(joined, at::kCUDA, std::move(hosted), processes_);
}

std::shared_ptr<NcclCollectives> NcclGpus::join(int ranks) const {
  std::vector<GpuPlace> places = spreadOverGpus(ranks, count_);
  const NcclHooks hooks{.computingStream = torchsStream, .copyBlocks = copyKernel()};
  if (processes_ == nullptr) return joinNccl(*api_, places, hooks, nullptr);
  const int each = ranks / processes_->processes();
  // The device index in other processes is not known here and not used.
  for (int rank = 0; rank < ranks; ++rank) {
    places[static_cast<std::size_t>(rank)] = {rank / each, device_};
  }
  return joinNccl(*api_, places, hooks, processes_);
}

}  // namespace shardlens

#else

namespace shardlens {

Result<std::shared_ptr<NcclGpus>> NcclGpus::open(std::shared_ptr<Processes>) {
  return fail(
      "this program was built without NCCL: build it with the full torch, which brings "
      "NCCL's header (tests/run installs it)");
}

std::unique_ptr<Communicator> NcclGpus::communicator(int) { return nullptr; }

}  // namespace shardlens

#endif
