#include "tests/comm/nccl/fake_state.h"

#include <cstdlib>
#include <cstring>
#include <utility>

namespace shardlens::fake {
namespace {

// As in CUDA: an error that is not cleared is reported by the next launch.
thread_local cudaError_t lastError = cudaSuccess;

}  // namespace

CudaApi cuda() {
  CudaApi api;
  api.getDeviceCount = [](int* count) {
    *count = static_cast<int>(current->defaults.size());
    return cudaSuccess;
  };
  api.getDevice = [](int* now) {
    *now = device;
    return cudaSuccess;
  };
  api.setDevice = [](int next) {
    const Lock lock(current->mutex);
    ++current->cudaCalls["cudaSetDevice"];
    device = next;
    return cudaSuccess;
  };
  api.malloc = [](void** data, std::size_t bytes) {
    const Lock lock(current->mutex);
    *data = std::malloc(bytes);
    current->memory.insert(*data);
    return cudaSuccess;
  };
  api.free = [](void* data) {
    const Lock lock(current->mutex);
    current->expect(current->memory.erase(data) == 1, "memory is freed twice");
    std::free(data);
    return cudaSuccess;
  };
  api.memcpyAsync = [](void* to, const void* from, std::size_t bytes, cudaMemcpyKind,
                       cudaStream_t stream) {
    const Lock lock(current->mutex);
    ++current->cudaCalls["cudaMemcpyAsync"];
    current->expect(lastError == cudaSuccess, "an earlier answer is still there as an error");
    current->enqueue(streamOf(stream), [=] {
      std::memcpy(to, from, bytes);
      return true;
    });
    return cudaSuccess;
  };
  api.streamCreateWithFlags = [](cudaStream_t* stream, unsigned) {
    const Lock lock(current->mutex);
    ++current->cudaCalls["cudaStreamCreateWithFlags"];
    auto* made = new Stream{device, {}};
    current->streams.insert(made);
    *stream = reinterpret_cast<cudaStream_t>(made);
    return cudaSuccess;
  };
  api.streamDestroy = [](cudaStream_t stream) {
    const Lock lock(current->mutex);
    current->streams.erase(&streamOf(stream));
    delete &streamOf(stream);
    return cudaSuccess;
  };
  api.streamWaitEvent = [](cudaStream_t stream, cudaEvent_t event, unsigned) {
    const Lock lock(current->mutex);
    ++current->cudaCalls["cudaStreamWaitEvent"];
    auto done = reinterpret_cast<Event*>(event)->done;
    current->enqueue(streamOf(stream), [done] { return !done || *done; });
    return cudaSuccess;
  };
  api.eventCreateWithFlags = [](cudaEvent_t* event, unsigned flags) {
    const Lock lock(current->mutex);
    ++current->cudaCalls["cudaEventCreateWithFlags"];
    auto* made = new Event{(flags & cudaEventDisableTiming) == 0, {}, device};
    current->events.insert(made);
    *event = reinterpret_cast<cudaEvent_t>(made);
    return cudaSuccess;
  };
  api.eventDestroy = [](cudaEvent_t event) {
    const Lock lock(current->mutex);
    current->events.erase(reinterpret_cast<Event*>(event));
    delete reinterpret_cast<Event*>(event);
    return cudaSuccess;
  };
  api.eventRecord = [](cudaEvent_t event, cudaStream_t stream) {
    const Lock lock(current->mutex);
    ++current->cudaCalls["cudaEventRecord"];
    auto& recorded = *reinterpret_cast<Event*>(event);
    current->expect(recorded.device == streamOf(stream).device,
                    "an event is recorded on another device's stream");
    recorded.done = std::make_shared<bool>(false);
    current->enqueue(streamOf(stream), [done = recorded.done] { return *done = true; });
    return cudaSuccess;
  };
  api.eventQuery = [](cudaEvent_t event) {
    const Lock lock(current->mutex);
    current->progress();
    const auto& done = reinterpret_cast<Event*>(event)->done;
    lastError = !done || *done ? cudaSuccess : cudaErrorNotReady;
    return lastError;
  };
  api.getLastError = [] { return std::exchange(lastError, cudaSuccess); };
  api.eventElapsedTime = [](float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
    const Lock lock(current->mutex);
    const auto& from = *reinterpret_cast<Event*>(start);
    const auto& to = *reinterpret_cast<Event*>(end);
    const auto hasTime = [](const Event& event) { return event.isTimed && event.done; };
    if (!hasTime(from) || !hasTime(to)) return cudaErrorInvalidResourceHandle;
    if (!*from.done || !*to.done) return cudaErrorNotReady;
    // An arbitrary time that depends on the device, so that tests can tell devices apart.
    *milliseconds = 250.0F * static_cast<float>(1 + to.device);
    return cudaSuccess;
  };
  api.getErrorString = [](cudaError_t) { return "a CUDA error"; };
  return api;
}

}  // namespace shardlens::fake
