#include "core/query/problems/expectations.h"

#include "core/trace/events/event_names.h"
#include "core/trace/recorder/event_makers.h"
#include "core/trace/recorder/recorder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace shardlens {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// A journal of two steps. The first has two all_reduce in layers.0 and one in layers.1, the second
// one all_gather.
class ExpectationsTest : public ::testing::Test {
 protected:
  ExpectationsTest() {
    recorder_.addSink(journal_);
    recorder_.meta("mesh", "2:tp");
    const auto send = [this](const char* collective, const char* module) {
      recorder_.setSite({.module = module});
      recorder_.note(
          makeCollective(recorder_, parseCollective(collective), "0,1", 0, 8, {.axis = "tp"}));
    };
    recorder_.setStep(0, 1);
    send("all_reduce", "layers.0");
    send("all_reduce", "layers.0");
    send("all_reduce", "layers.1");
    recorder_.setStep(1, 2);
    send("all_gather", "");
  }

  std::vector<std::string> unmet(std::string_view text) {
    const auto expectations = parseExpectations(text);
    EXPECT_TRUE(expectations) << expectations.error().message;
    std::vector<std::string> all;
    if (!expectations) return all;
    for (const auto& one : findUnmet(journal_, *expectations)) {
      EXPECT_EQ(one.events.size(), static_cast<std::size_t>(one.count));
      all.push_back(std::to_string(one.expectation->line) + " " + one.where + ": " +
                    std::to_string(one.count));
    }
    return all;
  }

  Recorder recorder_;
  Journal journal_;
};

TEST_F(ExpectationsTest, OfAllEvents) {
  EXPECT_THAT(unmet("# what holds\n\n  no implicit \r\nat most 4 kind:collective\n"
                    "at least 4 kind:collective\nexactly 3 name:all_reduce"),
              IsEmpty());
  EXPECT_THAT(unmet("no name:all_gather\nat most 3 kind:collective\nat least 5 kind:collective\n"
                    "exactly 2 name:all_reduce\nat least 1 kind:error"),
              ElementsAre("1 : 1", "2 : 4", "3 : 4", "4 : 3", "5 : 0"));
}

TEST_F(ExpectationsTest, OfEachStepModuleOrGroup) {
  EXPECT_THAT(unmet("at most 1 name:all_reduce per module"), ElementsAre("1 module layers.0: 2"));
  EXPECT_THAT(unmet("at least 1 name:all_reduce per step"), ElementsAre("1 step 2: 0"));
  EXPECT_THAT(unmet("exactly 4 kind:collective per group"), IsEmpty());
  EXPECT_THAT(unmet("no kind:collective per group"), ElementsAre("1 group tp: 4"));
}

TEST_F(ExpectationsTest, NameTheLineThatIsWrong) {
  const auto refusal = [](std::string_view text) {
    const auto expectations = parseExpectations(text);
    return expectations ? "understood" : expectations.error().message;
  };
  EXPECT_EQ(refusal("no x\nnone y"),
            "line 2: got none y, expected no, at most N, at least N or exactly N");
  EXPECT_EQ(refusal("at most many x"),
            "line 1: got at most many x, expected no, at most N, at least N or exactly N");
  EXPECT_EQ(refusal("at most -1 x"),
            "line 1: got at most -1 x, expected no, at most N, at least N or exactly N");
  EXPECT_EQ(refusal("no"), "line 1: expected a query after the number");
  EXPECT_EQ(refusal("no x per layer"), "line 1: expected per step, per module or per group");
  EXPECT_EQ(refusal("\nno step:x"),
            "line 2: step: got x, expected a number, or a range such as 0-3");
}

}  // namespace
}  // namespace shardlens
