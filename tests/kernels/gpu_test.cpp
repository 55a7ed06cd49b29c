#include "kernels/cuda/rows.h"
#include "kernels/cuda/timer.h"
#include "tests/kernels/places.h"

namespace shardlens::kernels::cuda {
namespace {

// Tests kernels whose threads cooperate, which the processor cannot run.
class Gpu : public OnPlace<OnGpu> {};

TEST_F(Gpu, NamesTheFirstIdOutsideOfTheTable) {
  const auto first = [](const std::vector<std::int64_t>& ids) {
    const Moved<OnGpu, std::int64_t> there(ids);
    return checkIds(idsAt(there.data(), ids.size()), 10, nullptr);
  };
  std::vector<std::int64_t> ids(100000, 9);
  EXPECT_EQ(first({}), std::nullopt);
  EXPECT_EQ(first(ids), std::nullopt);
  ids[99999] = 10;
  EXPECT_EQ(first(ids), 99999);
  ids[70000] = -1;
  ids[70001] = -1;
  EXPECT_EQ(first(ids), 70000);
  EXPECT_EQ(first(std::vector<std::int64_t>(100000, 10)), 0);
}

TEST_F(Gpu, TellsTheTimeOfAStreamOnceItIsThere) {
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
