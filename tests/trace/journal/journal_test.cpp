#include "core/trace/journal/journal.h"

#include "core/base/check.h"
#include "core/model/ranks_text.h"
#include "tests/trace/sample_run.h"

#include <gtest/gtest.h>

namespace shardlens {
namespace {

using Groups = std::vector<std::vector<int>>;

TEST(Journal, AnswersWithTheNewestValueAtAPosition) {
  Journal journal;
  for (const EventId event : {3U, 7U}) {
    ValueRecord value = valueOf<float>(1, 2, {1}, {static_cast<float>(event)});
    value.event = event;
    journal.onValue(value);
  }
  EXPECT_FALSE(journal.value(1, 2, 2));
  EXPECT_EQ(journal.value(1, 2, 3)->event, 3U);
  EXPECT_EQ(journal.value(1, 2, 6)->event, 3U);
  EXPECT_EQ(journal.value(1, 2, 100)->event, 7U);
  EXPECT_FALSE(journal.value(1, 0, 100));
  EXPECT_FALSE(journal.value(2, 2, 100));
  EXPECT_EQ(journal.ranksOf(1), std::vector<int>{2});
}

TEST(Journal, KeepsTextsWhereTheyAreAsItGrows) {
  Journal journal;
  journal.onString(1, "w");
  const std::string_view text = journal.text(1);
  for (StringId id = 2; id < 1000; ++id) journal.onString(id, "x");
  EXPECT_EQ(text.data(), journal.text(1).data());
  EXPECT_EQ(journal.text(0), "");
}

TEST(Journal, ReturnsTheNameAndSpecOfEachOfManyTensors) {
  constexpr TensorId kTensors = 2000;
  const auto nameOf = [](TensorId id) { return id <= 600 ? id : id % 7 + 1; };
  const auto specOf = [](TensorId id) { return id % 3 + 1; };
  Journal journal;
  for (StringId id = 1; id <= 600; ++id) journal.onString(id, std::to_string(id));
  for (SpecId id = 1; id <= 3; ++id) {
    journal.onSpec(id, Spec(DType::Float32, {id}, {Replicate{}}));
  }
  for (TensorId id = 1; id <= kTensors; ++id) journal.onTensor(id, nameOf(id), specOf(id));
  ASSERT_EQ(journal.tensors(), kTensors);
  for (TensorId id = 1; id <= kTensors; ++id) {
    ASSERT_EQ(journal.nameOf(id), nameOf(id));
    ASSERT_EQ(journal.specOf(id), specOf(id));
  }
}

TEST(Journal, AGapIsABug) {
  Journal journal;
  EXPECT_THROW(journal.onEvent(2, Event{}), CheckFailed);
  EXPECT_THROW(journal.onString(2, "w"), CheckFailed);
  EXPECT_THROW(journal.onEnd(1, 5), CheckFailed);
}

TEST(RanksText, RoundTrips) {
  const std::vector<std::pair<std::string, Groups>> cases = {
      {"", {}},
      {"0", {{0}}},
      {"0,1", {{0, 1}}},
      {"0-3", {{0, 1, 2, 3}}},
      {"0,2|1,3", {{0, 2}, {1, 3}}},
      {"0-2,7|3-6", {{0, 1, 2, 7}, {3, 4, 5, 6}}},
      {"2,0,3,1", {{2, 0, 3, 1}}},
      {"5|", {{5}, {}}},
  };
  for (const auto& [text, groups] : cases) {
    EXPECT_EQ(parseRanks(text), groups) << text;
    EXPECT_EQ(ranksText(groups), text);
  }
}

TEST(RanksText, SkipsInvalidRanks) {
  EXPECT_EQ(parseRanks("0,x,2"), (Groups{{0, 2}}));
  EXPECT_EQ(parseRanks("-1"), (Groups{{}}));
  EXPECT_EQ(parseRanks("0-4000000000"), (Groups{{}}));
}

}  // namespace
}  // namespace shardlens
