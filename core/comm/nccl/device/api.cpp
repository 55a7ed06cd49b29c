#include "core/comm/nccl/device/api.h"

#include "core/comm/nccl/device/library.h"
#include "core/comm/nccl/device/probe.h"

#include <fmt/core.h>

namespace shardlens {
namespace {

// Looks up functions and keeps the first error; later lookups are skipped.
class Lookup {
 public:
  explicit Lookup(const Library& library) : library_(library) {}

  template <class Function>
  void operator()(Function& function, const char* symbol) {
    if (done_) done_ = library_.findInto(function, symbol);
  }
  const Result<void>& done() const { return done_; }

 private:
  const Library& library_;
  Result<void> done_;
};

Result<void> findNccl(const Library& library, NcclApi& nccl) {
  Lookup find(library);
  find(nccl.getVersion, "ncclGetVersion");
  find(nccl.getUniqueId, "ncclGetUniqueId");
  find(nccl.commInitRankConfig, "ncclCommInitRankConfig");
  find(nccl.commSplit, "ncclCommSplit");
  find(nccl.commFinalize, "ncclCommFinalize");
  find(nccl.commDestroy, "ncclCommDestroy");
  find(nccl.commAbort, "ncclCommAbort");
  find(nccl.commGetAsyncError, "ncclCommGetAsyncError");
  find(nccl.getErrorString, "ncclGetErrorString");
  find(nccl.getLastError, "ncclGetLastError");
  find(nccl.groupStart, "ncclGroupStart");
  find(nccl.groupEnd, "ncclGroupEnd");
  find(nccl.allReduce, "ncclAllReduce");
  find(nccl.reduce, "ncclReduce");
  find(nccl.reduceScatter, "ncclReduceScatter");
  find(nccl.allGather, "ncclAllGather");
  find(nccl.broadcast, "ncclBroadcast");
  find(nccl.send, "ncclSend");
  find(nccl.recv, "ncclRecv");
  find(nccl.redOpCreatePreMulSum, "ncclRedOpCreatePreMulSum");
  find(nccl.redOpDestroy, "ncclRedOpDestroy");
  return find.done();
}

Result<void> findCuda(const Library& library, CudaApi& cuda) {
  Lookup find(library);
  find(cuda.getDeviceCount, "cudaGetDeviceCount");
  find(cuda.getDevice, "cudaGetDevice");
  find(cuda.setDevice, "cudaSetDevice");
  find(cuda.malloc, "cudaMalloc");
  find(cuda.free, "cudaFree");
  find(cuda.memcpyAsync, "cudaMemcpyAsync");
  find(cuda.streamCreateWithFlags, "cudaStreamCreateWithFlags");
  find(cuda.streamDestroy, "cudaStreamDestroy");
  find(cuda.streamWaitEvent, "cudaStreamWaitEvent");
  find(cuda.eventCreateWithFlags, "cudaEventCreateWithFlags");
  find(cuda.eventDestroy, "cudaEventDestroy");
  find(cuda.eventRecord, "cudaEventRecord");
  find(cuda.eventQuery, "cudaEventQuery");
  find(cuda.getLastError, "cudaGetLastError");
  find(cuda.getErrorString, "cudaGetErrorString");
  return find.done();
}

Result<void> refuseOtherVersion(const GpuApi& api) {
  if (api.ncclVersion / 100 == NCCL_VERSION_CODE / 100) return {};
  return fail(
      fmt::format("NCCL: got {} ({}), expected {}.{}, which this program was built with: build it "
                  "against the torch it runs with",
                  ncclVersionText(api.ncclVersion), api.ncclPath.string(), NCCL_MAJOR, NCCL_MINOR));
}

}  // namespace

Result<GpuApi> loadGpuApi() {
  GpuApi api;
  const auto nccl = Library::open(ncclNames());
  if (!nccl) return tl::unexpected(nccl.error());
  const auto cudaName = "libcudart.so." + std::to_string(CUDART_VERSION / 1000);
  const auto cuda = Library::open(cudaRuntimeNames(cudaName));
  if (!cuda) return tl::unexpected(cuda.error());
  const auto found = findNccl(*nccl, api.nccl).and_then([&] { return findCuda(*cuda, api.cuda); });
  if (!found) return tl::unexpected(found.error());
  api.ncclPath = nccl->path();
  if (api.nccl.getVersion(&api.ncclVersion) != ncclSuccess) {
    return fail(api.ncclPath.string() + ": ncclGetVersion failed");
  }
  return refuseOtherVersion(api).map([&] { return api; });
}

Result<int> countGpus(const CudaApi& cuda) {
  int count = 0;  // unchanged if CUDA returns an error
  const cudaError_t error = cuda.getDeviceCount(&count);
  if (error != cudaSuccess) return fail(std::string("no GPU: ") + cuda.getErrorString(error));
  if (count == 0) return fail("no GPU: the driver sees none");
  return count;
}

}  // namespace shardlens
