#include "core/trace/records/load_record.h"
#include "tests/inference/plain_run.h"

#include <gtest/gtest.h>

namespace shardlens {
namespace {

// The sentences about a load of w, of shape [3, 2], by ranks 0 and 1. `second`: the first row that
// rank 1 loads, one row.
std::vector<std::string> foundOf(int second) {
  PlainRun run;
  const auto x = run.tensor("x", {2});
  run.note("x", x, R"({"role":"output"})");
  run.allReduce(x);  // the axis
  const std::string last = std::to_string(second);
  const std::string first =
      R"({"role":"loaded","stored":"w","whole":[3,2],"offsets":[0,0],"sizes":[2,2]})";
  const std::string other =
      R"({"role":"loaded","stored":"w","whole":[3,2],"offsets":[)" + last + R"(,0],"sizes":[1,2]})";
  run.note("load", run.tensor("w", {2, 2}), joinedLoadDetail({{0, first}, {1, other}}).c_str());
  std::vector<std::string> sentences;
  for (const auto& each : inferPlacements(run.journal).findings) {
    EXPECT_EQ(each.fault, PlainFault::LoadedSlice);
    sentences.push_back(each.claim);
  }
  return sentences;
}

TEST(Loads, OfUnevenSlicesAreRight) { EXPECT_EQ(foundOf(2), std::vector<std::string>()); }

TEST(Loads, OfAnotherSliceAreFound) {
  EXPECT_EQ(foundOf(1), std::vector<std::string>(
                            {"rank 1 loads w[1:2, 0:2] of the checkpoint, expected [2:3, 0:2]"}));
}

TEST(Loads, OfDamagedDetailsHaveNoSlices) {
  EXPECT_EQ(
      readLoad(R"({"role":"loaded","stored":"w","whole":[3],"offsets":[0,0],"sizes":[1]})").stored,
      "");
  EXPECT_EQ(readLoad(R"({"stored":"w","whole":[3],"offsets":[-1],"sizes":[1]})").stored, "");
  EXPECT_EQ(readLoad(R"({"stored":"w","whole":[3],"offsets":[0],"sizes":[1],"ranks":[{"rank":0}]})")
                .sliceByRank.size(),
            0U);
  EXPECT_EQ(readLoad("[]").stored, "");
}

}  // namespace
}  // namespace shardlens
