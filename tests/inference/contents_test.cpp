#include "core/inference/contents.h"

#include "tests/inference/plain_run.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace shardlens {
namespace {

using Floats = std::vector<float>;

// Compares the values of two ranks, of which this level is recorded.
class Contents {
 public:
  explicit Contents(CaptureLevel level) { run_.recorder.setCapture(level); }

  Likeness likeness(const Floats& first, const Floats& second) {
    x_ = run_.tensor("x", {static_cast<std::int64_t>(first.size())});
    run_.parameter("x", x_);
    for (const int rank : {0, 1}) {
      const Floats& elements = rank == 0 ? first : second;
      ValueRecord value;
      value.tensor = x_;
      value.rank = rank;
      value.shape = {static_cast<std::int64_t>(elements.size())};
      run_.recorder.value(std::move(value), std::as_bytes(std::span(elements)));
    }
    return compareContents(run_.journal, x_, run_.journal.size(), axis_);
  }
  std::optional<ContentDifference> difference() const {
    return firstDifference(run_.journal, x_, run_.journal.size(), axis_);
  }

 private:
  PlainRun run_;
  RankAxis axis_{.name = "tp", .groups = {{0, 1}}};
  TensorId x_ = 0;
};

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

TEST(Contents, AreEqualIfTheirHashesAre) {
  Contents contents(CaptureLevel::Hashes);
  EXPECT_EQ(contents.likeness({1, 2}, {1, 2}), Likeness::Equal);
  EXPECT_EQ(contents.likeness({1, 2, kNan}, {1, 2, kNan}), Likeness::Equal);
  EXPECT_EQ(contents.likeness({3, 3}, {3, 3}), Likeness::Unknown);  // every placement fits
  EXPECT_EQ(contents.likeness({}, {}), Likeness::Unknown);
  EXPECT_FALSE(contents.difference());
}

// Statistics cannot distinguish these.
TEST(Contents, OfOtherHashesAreNotEqual) {
  Contents contents(CaptureLevel::Hashes);
  EXPECT_EQ(contents.likeness({1, 2, 3}, {2, 1, 3}), Likeness::Close);
  EXPECT_EQ(Contents(CaptureLevel::Statistics).likeness({1, 2, 3}, {2, 1, 3}), Likeness::Equal);
  EXPECT_EQ(contents.likeness({0, 1}, {-0.0F, 1}), Likeness::Close);
  EXPECT_EQ(contents.likeness({1, 2}, {1, 2.000001F}), Likeness::Close);
  EXPECT_EQ(contents.likeness({1, 2}, {1, kNan}), Likeness::Different);
}

// One of 10000 elements changes their mean by less than a thousandth of the largest one.
TEST(Contents, ThatDifferByMoreThanRoundingAreDifferent) {
  Floats first(10000);
  for (std::size_t i = 0; i < first.size(); ++i) first[i] = static_cast<float>(i % 7);
  Floats second = first;
  second[7] = 3;
  Contents contents(CaptureLevel::Hashes);
  EXPECT_EQ(contents.likeness(first, second), Likeness::Different);
  ASSERT_TRUE(contents.difference());
  EXPECT_EQ(contents.difference()->second, 1);
  EXPECT_EQ(contents.difference()->index, ContentDifference::kHashes);
  EXPECT_EQ(Contents(CaptureLevel::Statistics).likeness(first, second), Likeness::Close);
}

TEST(Contents, OfOtherShapesAreDifferent) {
  Contents contents(CaptureLevel::Hashes);
  EXPECT_EQ(contents.likeness({1, 2, 3}, {1, 2}), Likeness::Different);
  EXPECT_EQ(contents.difference()->index, -1);
}

}  // namespace
}  // namespace shardlens
