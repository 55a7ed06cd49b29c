#include "core/query/language/query_steps.h"

#include "core/model/step_number.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace shardlens {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<RankRange> steps(const char* text) { return stepsOf(parseQuery(text).value()); }

TEST(QuerySteps, AreThoseThatAllTermsSelect) {
  EXPECT_THAT(steps("step:37"), ElementsAre(RankRange{36, 36}));
  EXPECT_THAT(steps("step:3-5,8 kind:collective -op:mm"),
              ElementsAre(RankRange{2, 4}, RankRange{7, 7}));
  EXPECT_THAT(steps("step>=3"), ElementsAre(RankRange{2, kLastStep}));
  EXPECT_THAT(steps("step:3-9 step:7-12"), ElementsAre(RankRange{6, 8}));
}

TEST(QuerySteps, AreNoneIfOthersMayMatch) {
  EXPECT_THAT(steps(""), IsEmpty());
  EXPECT_THAT(steps("kind:collective"), IsEmpty());
  EXPECT_THAT(steps("-step:3"), IsEmpty());
  EXPECT_THAT(steps("step:0-3"), IsEmpty());  // events outside of a step
}

TEST(QuerySteps, AreNoneIfTheAnswerDependsOnTheWholeRecording) {
  EXPECT_THAT(steps("step:3 id:100"), IsEmpty());
  EXPECT_THAT(steps("step:3 role:1"), IsEmpty());
  EXPECT_THAT(steps("step:3 diverged"), IsEmpty());
}

}  // namespace
}  // namespace shardlens
