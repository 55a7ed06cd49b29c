#include "kernels/cuda/rows.h"
#include "kernels/cuda/timer.h"
#include "tests/kernels/places.h"

namespace shardlens::kernels::cuda {
namespace {

// Tests what the processor cannot run.
class Gpu : public OnPlace<OnGpu> {};

TEST_F(Gpu, ReportsTheTimeOfAStreamOnceItIsKnown) {
  Timer timer(nullptr);
  EXPECT_EQ(timer.nanoseconds(), std::nullopt);
  timer.stop();
  std::uint8_t byte = 0;
  GpuMemory(&byte, 1).read(&byte);  // waits for the device
  const auto time = timer.nanoseconds();
  ASSERT_TRUE(time.has_value());
  EXPECT_GE(*time, 0);
}

}  // namespace
}  // namespace shardlens::kernels::cuda
