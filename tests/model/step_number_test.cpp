#include "core/model/step_number.h"

#include <gmock/gmock.h>

namespace shardlens {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(StepNumber, CountsFromOneAndNoneIsZero) {
  EXPECT_EQ(stepNumber(-1), 0);
  EXPECT_EQ(stepNumber(0), 1);
  EXPECT_EQ(stepNumber(2147483647), 2147483648);
  EXPECT_EQ(stepIndex(1), 0);
  EXPECT_EQ(stepIndex(0), -1);
  EXPECT_EQ(stepIndex(-2147483647 - 1), -1);
}

TEST(StepNumber, RangesAreOfIndexes) {
  EXPECT_THAT(stepIndexes("3-5,8"), ElementsAre(RankRange{2, 4}, RankRange{7, 7}));
  EXPECT_THAT(stepIndexes("0-3"), IsEmpty());
  EXPECT_THAT(stepIndexes("x"), IsEmpty());
}

}  // namespace
}  // namespace shardlens
