#include "core/comm/nccl/device/nccl_collectives.h"
#include "core/comm/nccl/nccl_communicator.h"
#include "tests/comm/nccl/fake_gpus.h"

#include <ATen/ATen.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <gtest/gtest.h>

#include <array>

namespace shardlens {
namespace {

// torch's view of two fake GPUs with two streams each. Stream ids index them.
class FakeGuard final : public c10::impl::DeviceGuardImplInterface {
 public:
  static constexpr auto kType = c10::DeviceType::MAIA;
  using Streams = std::array<cudaStream_t, 2>;
  static inline const CudaApi* cuda = nullptr;
  static inline std::array<Streams, 2> streams{};
  static inline std::array<c10::StreamId, 2> current{};

  static cudaStream_t at(c10::Stream stream) {
    return streams[static_cast<std::size_t>(stream.device_index())]
                  [static_cast<std::size_t>(stream.id())];
  }
  static cudaStream_t currentOn(int device) {
    const auto index = static_cast<std::size_t>(device);
    return streams[index][static_cast<std::size_t>(current[index])];
  }

  c10::DeviceType type() const override { return kType; }
  c10::Device exchangeDevice(c10::Device device) const override { return device; }
  c10::Device getDevice() const override { return {kType, 0}; }
  void setDevice(c10::Device) const override {}
  void uncheckedSetDevice(c10::Device) const noexcept override {}
  c10::Stream getStream(c10::Device device) const override {
    return c10::Stream(c10::Stream::UNSAFE, device,
                       current[static_cast<std::size_t>(device.index())]);
  }
  c10::Stream exchangeStream(c10::Stream stream) const override {
    auto& now = current[static_cast<std::size_t>(stream.device_index())];
    return c10::Stream(c10::Stream::UNSAFE, stream.device(), std::exchange(now, stream.id()));
  }
  c10::DeviceIndex deviceCount() const noexcept override { return 2; }
  void record(void** event, const c10::Stream& stream, const c10::DeviceIndex,
              const c10::EventFlag) const override {
    const OnDevice device(*cuda, stream.device_index());
    cudaEvent_t made = nullptr;
    cuda->eventCreateWithFlags(&made, cudaEventDisableTiming);
    cuda->eventRecord(made, at(stream));
    *event = made;
  }
  void block(void* event, const c10::Stream& stream) const override {
    cuda->streamWaitEvent(at(stream), static_cast<cudaEvent_t>(event), 0);
  }
  void destroyEvent(void* event, const c10::DeviceIndex) const noexcept override {
    cuda->eventDestroy(static_cast<cudaEvent_t>(event));
  }
};

C10_REGISTER_GUARD_IMPL(MAIA, FakeGuard)

at::Tensor onGpu(int device, std::vector<float>& values) {
  const at::Device where(FakeGuard::kType, static_cast<c10::DeviceIndex>(device));
  return at::for_blob(values.data(), {static_cast<std::int64_t>(values.size())})
      .options(at::TensorOptions(at::kFloat).device(where))
      .target_device(where)
      .make_tensor();
}

// A collective is called under one stream per GPU and waited for under another. The allocator
// reuses its inputs in the order of the first, so NCCL must have read them by then.
TEST(CallStreams, OrderTheReuseOfMemoryAndTheResults) {
  FakeGpus gpus(2);
  const auto api = gpus.api();
  FakeGuard::cuda = &api.cuda;
  FakeGuard::current = {};
  for (int device : {0, 1}) {
    auto& streams = FakeGuard::streams[static_cast<std::size_t>(device)];
    for (auto& stream : streams) stream = gpus.streamOn(device);
  }
  auto joined = NcclCollectives::join(
      api, spreadOverGpus(2, 2), 0,
      {.computingStream = FakeGuard::currentOn, .copyBlocks = gpus.copyKernel()});
  auto comm = std::make_unique<NcclCommunicator>(std::move(joined.value()), FakeGuard::kType,
                                                 std::vector{0, 1}, nullptr);
  std::vector<float> sent[2] = {{5}, {6}};
  std::vector<float> received[2] = {{0}, {0}};
  std::vector<float> seen[2] = {{0}, {0}};
  const auto number = comm->makeNextAsync();
  comm->broadcast({"tp", 0, {{0, 1}}}, 0, {onGpu(0, sent[0]), onGpu(1, sent[1])},
                  {onGpu(0, received[0]), onGpu(1, received[1])});
  FakeGuard::current = {1, 1};
  comm->wait(number);
  EXPECT_EQ(FakeGuard::current, (std::array<c10::StreamId, 2>{1, 1}));
  for (std::size_t i : {0, 1}) {
    gpus.launch(FakeGuard::streams[i][0], [&, i] { sent[i] = {99}; });
    gpus.launch(FakeGuard::streams[i][1], [&, i] { seen[i] = received[i]; });
  }
  gpus.finish();
  EXPECT_EQ(seen[0], std::vector<float>{5});
  EXPECT_EQ(seen[1], std::vector<float>{5});
  comm = nullptr;
  EXPECT_EQ(gpus.problems(), std::vector<std::string>());
  EXPECT_EQ(gpus.alive(), 0);
}

}  // namespace
}  // namespace shardlens
