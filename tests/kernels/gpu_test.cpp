#include "kernels/cuda/rows.h"
#include "kernels/cuda/timer.h"
#include "tests/kernels/places.h"

namespace shardlens::kernels::cuda {
namespace {

// Tests kernels whose threads cooperate, which the processor cannot run.
class Gpu : public OnPlace<OnGpu> {};

template <class Id>
void expectOwners(std::size_t count, std::size_t parts) {
  Lot lot;
  std::vector<std::int64_t> bounds = {0};
  for (std::size_t j = 0; j < parts; ++j) bounds.push_back(bounds.back() + lot.below(4));
  bounds.back() += 1;
  const auto ids = lot.ids<Id>(count, 0, bounds.back());
  std::vector<std::int32_t> owners(count, -1), expected = owners;
  std::vector<std::int64_t> counts(parts, -1), expectedCounts = counts;
  kernels::findOwners(idsAt(ids.data(), count), bounds, expected.data(), expectedCounts.data());
  const Moved<OnGpu, Id> idsThere(ids);
  const Moved<OnGpu, std::int32_t> ownersThere(owners);
  findOwners(idsAt(idsThere.data(), count), bounds, ownersThere.data(), counts.data(), nullptr);
  EXPECT_EQ(ownersThere.back(), expected);
  EXPECT_EQ(counts, expectedCounts);
}

TEST_F(Gpu, FindsTheOwnersOfRows) {
  for (const std::size_t count : {0, 1, 257, 100000}) {
    for (const std::size_t parts : {1, 4, 1024, 1025, 5000}) {
      expectOwners<std::int64_t>(count, parts);
      expectOwners<std::int32_t>(count, parts);
    }
  }
}

TEST_F(Gpu, CountsTheMaskedIdsOfEachShard) {
  Lot lot;
  for (const std::size_t count : {0, 1, 255, 70000}) {
    const auto ids = lot.ids<std::int32_t>(count, -5, 100);
    const std::vector<RowRange> shards = {{0, 50}, {50, 0}, {50, 50}, {-5, 105}, {200, 7}};
    std::vector<std::int64_t> masked(5, -1), expected = masked;
    kernels::countMasked(idsAt(ids.data(), count), shards, expected.data());
    const Moved<OnGpu, std::int32_t> there(ids);
    countMasked(idsAt(there.data(), count), shards, masked.data(), nullptr);
    EXPECT_EQ(masked, expected);
  }
}

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
