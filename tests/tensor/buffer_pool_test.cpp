#include "core/memory/buffer_pool.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

namespace shardlens {
namespace {

constexpr std::int64_t kLarge = 4 << 20;  // bytes

at::Tensor large(std::int64_t bytes = kLarge) { return emptyBuffer({bytes}, at::kByte); }

TEST(BufferPool, ALargeBlockServesTheNextOfItsSize) {
  void* block = large().data_ptr();
  auto again = large();
  EXPECT_EQ(again.data_ptr(), block);
  auto other = large();
  EXPECT_NE(other.data_ptr(), block);
  EXPECT_NE(large(2 * kLarge).data_ptr(), block);
}

// A view keeps the memory alive, so the pool must not reuse it.
TEST(BufferPool, ReusesNoBufferThatIsStillReferenced) {
  auto tensor = large();
  tensor.fill_(7);
  auto view = tensor.narrow(0, 5, 3);
  tensor.reset();
  large().fill_(1);
  EXPECT_TRUE(at::equal(view, at::full({3}, 7, at::kByte)));
}

TEST(BufferPool, KeepsNoMoreThanItsLimit) {
  std::vector<at::Tensor> all;
  for (std::size_t bytes = 0; bytes <= kKeptAtMost; bytes += kLarge) all.push_back(large());
  all.clear();
  EXPECT_LE(keptBytes(), kKeptAtMost);
  EXPECT_GT(keptBytes(), kKeptAtMost / 2);
}

TEST(BufferPool, SmallBuffersAreLibtorchs) {
  const auto kept = keptBytes();
  large(static_cast<std::int64_t>(kPooledFrom) - 1).reset();
  EXPECT_EQ(keptBytes(), kept);
  EXPECT_EQ(emptyBuffer({2, 0}, at::kFloat).numel(), 0);
  EXPECT_EQ(emptyBuffer({3, 2}, at::kHalf).scalar_type(), at::kHalf);
}

}  // namespace
}  // namespace shardlens
