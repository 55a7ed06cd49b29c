#include "core/trace/events/capture.h"

#include <gtest/gtest.h>

namespace shardlens {

namespace {

CaptureRule rule(const char* text) { return parseCaptureRule(text).value(); }
std::string refusal(const char* text) {
  const auto parsed = parseCaptureRule(text);
  return parsed ? "" : parsed.error().message;
}

TEST(CaptureRule, NamesTheSelectedValues) {
  EXPECT_EQ(rule("none"), (CaptureRule{.level = CaptureLevel::None}));
  EXPECT_EQ(rule("stats"), (CaptureRule{.level = CaptureLevel::Statistics}));
  EXPECT_EQ(rule("hashes"), (CaptureRule{.level = CaptureLevel::Hashes}));
  EXPECT_EQ(rule("all:step=3-5:rank=0,2:tensor=y"),
            (CaptureRule{CaptureLevel::All, {{2, 4}}, {{0, 0}, {2, 2}}, "y"}));
}

TEST(CaptureRule, InvalidConditionsAreRefusedWithTheExpectedOnes) {
  EXPECT_EQ(refusal("some"), "got some, expected none, stats, hashes or all");
  EXPECT_EQ(refusal(""), "got , expected none, stats, hashes or all");
  for (const char* condition :
       {"step", "step=", "step=x", "step=1x", "step=0", "step=0-3", "tensor=", "layer=3", "=3"}) {
    EXPECT_EQ(refusal((std::string("all:") + condition).c_str()),
              std::string("got ") + condition + ", expected step=3-5, rank=0,2 or tensor=NAME");
  }
}

TEST(Capture, TheLastRuleThatHoldsCounts) {
  const Capture capture({rule("stats"), rule("all:step=3-5:tensor=y"), rule("none:rank=1")});
  EXPECT_EQ(capture.levelOf(1, 0, "y"), CaptureLevel::Statistics);
  EXPECT_EQ(capture.levelOf(2, 0, "y"), CaptureLevel::All);
  EXPECT_EQ(capture.levelOf(4, 0, "y"), CaptureLevel::All);
  EXPECT_EQ(capture.levelOf(5, 0, "y"), CaptureLevel::Statistics);
  EXPECT_EQ(capture.levelOf(3, 0, "y2"), CaptureLevel::Statistics);
  EXPECT_EQ(capture.levelOf(3, 1, "y"), CaptureLevel::None);
}

TEST(Capture, RecordsNoValueThatNoRuleSelects) {
  const Capture capture({rule("all:rank=2")});
  EXPECT_TRUE(capture.keepsAny());
  EXPECT_EQ(capture.levelOf(0, 2, "w"), CaptureLevel::All);
  EXPECT_EQ(capture.levelOf(0, 1, "w"), CaptureLevel::None);
  EXPECT_FALSE(Capture().keepsAny());
  EXPECT_FALSE(Capture({rule("none")}).keepsAny());
}

}  // namespace

}  // namespace shardlens
