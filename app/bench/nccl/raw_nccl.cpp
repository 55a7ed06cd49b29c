#include "app/bench/nccl/raw_nccl.h"

#include "app/bench/gpu/gpu.h"

#include <cuda_runtime_api.h>

#include <cstdlib>
#include <set>
#include <stdexcept>
#include <string>

namespace shardlens {
namespace {

constexpr std::int64_t kFloat = sizeof(float);

std::size_t countOf(std::int64_t bytes) { return static_cast<std::size_t>(bytes / kFloat); }

}  // namespace

RawNccl::RawNccl(const NcclApi& nccl, const std::vector<GpuPlace>& places, const RankMemory& memory)
    : nccl_(nccl), memory_(memory) {
  std::set<GpuPlace> gpus;
  for (const auto& place : places) {
    gpus.insert(place);
    auto& rank = ranks_.emplace_back(Rank{place.device, nullptr, nullptr});
    bench::check(cudaSetDevice(rank.device), "choice of the GPU");
    bench::check(cudaStreamCreateWithFlags(&rank.stream, cudaStreamNonBlocking), "stream");
  }
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  config.blocking = 1;
  // The kernels of all ranks must fit on a GPU at once. Otherwise they wait for each other forever.
  if (gpus.size() < places.size()) config.maxCTAs = 16;
  setenv("NCCL_MULTI_RANK_GPU_ENABLE", "1", /*overwrite=*/0);
  ncclUniqueId id;
  check(nccl_.getUniqueId(&id), "ncclGetUniqueId");
  const int count = static_cast<int>(places.size());
  inGroup([&](std::size_t rank) {
    check(nccl_.commInitRankConfig(&ranks_[rank].comm, count, id, static_cast<int>(rank), &config),
          "ncclCommInitRankConfig");
  });
}

RawNccl::~RawNccl() {
  for (const auto& rank : ranks_) {
    cudaSetDevice(rank.device);
    if (rank.comm != nullptr) nccl_.commAbort(rank.comm);
    cudaStreamDestroy(rank.stream);
  }
  cudaSetDevice(0);
}

void RawNccl::check(ncclResult_t result, const char* function) const {
  if (result == ncclSuccess) return;
  throw std::runtime_error(std::string(function) + ": " + nccl_.getErrorString(result));
}

void RawNccl::inGroup(const std::function<void(std::size_t)>& call) {
  check(nccl_.groupStart(), "ncclGroupStart");
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
    bench::check(cudaSetDevice(ranks_[rank].device), "choice of the GPU");
    call(rank);
  }
  check(nccl_.groupEnd(), "ncclGroupEnd");
}

void RawNccl::allReduce(std::int64_t bytes) {
  const auto in = memory_.inputs(bytes), out = memory_.outputs(bytes);
  inGroup([&](std::size_t rank) {
    check(nccl_.allReduce(in[rank].data, out[rank].data, countOf(bytes), ncclFloat32, ncclSum,
                          ranks_[rank].comm, ranks_[rank].stream),
          "ncclAllReduce");
  });
}

void RawNccl::allGather(std::int64_t bytes) {
  const auto in = memory_.inputs(bytes), out = memory_.outputs(bytes);
  inGroup([&](std::size_t rank) {
    check(nccl_.allGather(in[rank].data, out[rank].data, countOf(bytes / memory_.ranks()),
                          ncclFloat32, ranks_[rank].comm, ranks_[rank].stream),
          "ncclAllGather");
  });
}

void RawNccl::allToAll(std::int64_t bytes) {
  const auto in = memory_.inputParts(bytes), out = memory_.outputParts(bytes);
  inGroup([&](std::size_t rank) {
    for (std::size_t peer = 0; peer < ranks_.size(); ++peer) {
      const auto& [sent, size] = in[rank][peer];
      const auto& own = ranks_[rank];
      const int to = static_cast<int>(peer);
      check(nccl_.send(sent, countOf(size), ncclFloat32, to, own.comm, own.stream), "ncclSend");
      check(nccl_.recv(out[rank][peer].data, countOf(size), ncclFloat32, to, own.comm, own.stream),
            "ncclRecv");
    }
  });
}

void RawNccl::synchronize() {
  for (const auto& rank : ranks_) {
    bench::check(cudaSetDevice(rank.device), "choice of the GPU");
    bench::check(cudaStreamSynchronize(rank.stream), "end of NCCL's work");
  }
}

}  // namespace shardlens
