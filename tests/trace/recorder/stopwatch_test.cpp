#include "core/trace/recorder/stopwatch.h"

#include <gtest/gtest.h>

namespace shardlens {
namespace {

TEST(Stopwatch, ShowsTheTimeThatPassedWhileItRan) {
  std::int64_t time = 100;
  Stopwatch watch([&] { return time; });
  EXPECT_EQ(watch.now(), 0);
  time += 5;
  EXPECT_EQ(watch.now(), 5);
  watch.stop();
  time += 1000;
  EXPECT_EQ(watch.now(), 5);
  watch.stop();
  time += 1000;
  watch.go();
  EXPECT_EQ(watch.now(), 5);
  watch.go();
  time += 7;
  EXPECT_EQ(watch.now(), 12);
}

}  // namespace
}  // namespace shardlens
