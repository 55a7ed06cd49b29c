// Memory of fake GPUs: large results come from blocks that are reserved ahead, and several copies
// are one launch.

#include "core/memory/copy.h"
#include "core/memory/gpu_reserve.h"
#include "tests/tensor/gpu/fake_cuda.h"
#include "tests/tensor/ranks.h"

#include <ATen/ATen.h>

namespace shardlens {
namespace {

// As in a scenario, whose results stay alive. They are not written, so they take no memory here.
TEST(MemoryOnGpus, OfResultsThatStayAliveIsRequestedFromTheDeviceRarely) {
  const auto runtime = makeRuntime(*DeviceMesh::make({1}), fake_cuda::communicator(1));
  const auto small = distribute(runtime, at::zeros({1}), {Replicate{}});
  constexpr std::int64_t kElements = 4 << 20;  // 16 MiB
  std::vector<at::Tensor> alive;
  const int before = fake_cuda::counts().largeBlocks;
  for (int i = 0; i < 100; ++i) alive.push_back(at::empty_like(small).new_empty({kElements}));
  const int requested = fake_cuda::counts().largeBlocks - before;
  EXPECT_LE(requested, 12) << "two when the reserve is empty, and it doubles";
  EXPECT_GE(requested, 2);
}

TEST(MemoryOnGpus, IsNotReservedForSmallTensorsAndNotTwice) {
  const at::Device device(at::kCUDA, 1);
  const int before = fake_cuda::counts().largeBlocks;
  const auto small = at::empty({1000}, at::TensorOptions(device));
  reserveAfter(small);
  reserveAfter(at::empty({1000}));
  EXPECT_EQ(fake_cuda::counts().largeBlocks, before);
  const auto large = at::empty({static_cast<std::int64_t>(kLargeOnGpu)},
                               at::TensorOptions(at::kDouble).device(device));
  reserveAfter(large);
  const int after = fake_cuda::counts().largeBlocks;
  reserveAfter(large);
  reserveAfter(large.view({2, -1}).select(0, 1));
  EXPECT_EQ(fake_cuda::counts().largeBlocks, after);
}

at::Tensor placedOnGpu(const at::Tensor& tensor, int device = 0) {
  return tensor.to(at::Device(at::kCUDA, static_cast<at::DeviceIndex>(device)));
}

TEST(MemoryOnGpus, OfSeveralStridedTensorsIsCopiedInOneLaunch) {
  fake_cuda::install();
  const auto whole = placedOnGpu(numbered({6, 8}));
  std::vector<Copy> copies;
  for (std::int64_t part = 0; part < 4; ++part) {
    copies.push_back({{at::empty({6, 2}, whole.options())}, whole.narrow(1, 2 * part, 2)});
  }
  copies[0].to.push_back(at::empty({2, 6}, whole.options()).t());
  const int before = fake_cuda::counts().copyLaunches;
  copyAll(copies);
  EXPECT_EQ(fake_cuda::counts().copyLaunches - before, 1);
  for (const auto& [all, from] : copies) {
    for (const auto& to : all) EXPECT_TRUE(at::equal(to.cpu(), from.cpu()));
  }
}

TEST(MemoryOnGpus, OfTwoDevicesIsCopiedInOneLaunchEach) {
  fake_cuda::install();
  std::vector<Copy> copies;
  for (const int device : {0, 1, 0, 1}) {
    const auto from = placedOnGpu(numbered({4, 4}), device);
    copies.push_back({{at::empty({4, 4}, from.options())}, from.t()});
  }
  // Between devices, and from the CPU, libtorch copies.
  copies.push_back({{placedOnGpu(at::zeros({3}), 1)}, placedOnGpu(numbered({3}))});
  copies.push_back({{placedOnGpu(at::zeros({3}), 1)}, numbered({3})});
  const int before = fake_cuda::counts().copyLaunches;
  copyAll(copies);
  EXPECT_EQ(fake_cuda::counts().copyLaunches - before, 2);
  for (const auto& [all, from] : copies) EXPECT_TRUE(at::equal(all[0].cpu(), from.cpu()));
}

}  // namespace
}  // namespace shardlens
