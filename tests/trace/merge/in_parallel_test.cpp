#include "core/trace/merge/in_parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>

namespace shardlens {
namespace {

TEST(InParallel, CallsTheWorkOnceForEachNumber) {
  std::atomic<std::size_t> sum = 0;
  inParallel(100, [&](std::size_t i) { sum += i; });
  EXPECT_EQ(sum, 4950U);
}

TEST(InParallel, ThrowsWhatTheWorkThrows) {
  const auto work = [](std::size_t i) {
    if (i == 3) throw std::runtime_error("damaged");
  };
  EXPECT_THROW(inParallel(1000, work), std::runtime_error);
}

}  // namespace
}  // namespace shardlens
