#include "core/model/rank_selector.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace shardlens {
namespace {

using ::testing::HasSubstr;

const DeviceMesh& mesh() {
  static const DeviceMesh mesh = DeviceMesh::make({3, 4, 2}, {"pp", "dp", "tp"}).value();
  return mesh;
}

std::string selected(const char* text) {
  const auto ranks = selectRanks(text, mesh());
  return ranks ? rangesText(*ranks) : ranks.error().message;
}

TEST(RankSelector, AxesSelectTheRanksAtTheirCoordinates) {
  EXPECT_EQ(selected("pp=2"), "16-23");
  EXPECT_EQ(selected("pp=2 dp=1,3 tp=*"), "18,19,22,23");
  EXPECT_EQ(selected("tp=1 pp=0-1"), "1,3,5,7,9,11,13,15");
  EXPECT_EQ(selected("(dp=0  tp=0)"), "0,8,16");
  EXPECT_EQ(selected("tp=*"), "0-23");
}

TEST(RankSelector, PlainListsNeedNoMesh) {
  EXPECT_EQ(selected("0-3,8"), "0-3,8");
  EXPECT_EQ(selected("*"), "0-23");
  EXPECT_EQ(rangesText(selectRanks("5,4,700", std::nullopt).value()), "4,5,700");
}

TEST(RankSelector, ErrorsSayWhatWasFoundAndExpected) {
  EXPECT_EQ(selected("ep=1"), "got the axis ep, expected one of pp, dp, tp");
  EXPECT_EQ(selected("pp=0 dp=2-4"), "got dp=2-4, expected coordinates from 0 to 3");
  EXPECT_EQ(selected("dp=1 dp=2"), "got the axis dp twice, expected each axis once");
  EXPECT_EQ(selected("24"), "got rank 24, expected ranks from 0 to 23");
  for (const char* text :
       {"dp=x", "dp=", "=1", "3-1", "0-", "-1", "1,,2", "dp=1 3", "3 4", "0-2147483647,5"}) {
    EXPECT_THAT(selected(text), HasSubstr("expected ranks such as 0-3,8, or axes such as")) << text;
  }
  EXPECT_THAT(selected(""), HasSubstr("got no ranks"));
  EXPECT_EQ(selectRanks("dp=1", std::nullopt).error().message,
            "got the axis dp, expected ranks such as 0-3,8: no mesh is known");
  EXPECT_THAT(selectRanks("*", std::nullopt).error().message, HasSubstr("no mesh is known"));
}

TEST(RankSelector, FindsTheAxesThatSelectRanks) {
  const auto axes = [](const char* ranks) { return axesSelecting(parseRankRanges(ranks), mesh()); };
  for (const char* text : {"pp=1", "pp=0,2 tp=1", "dp=1-3", "pp=0 dp=0 tp=0"}) {
    EXPECT_EQ(axes(selected(text).c_str()), text);
  }
  EXPECT_EQ(axes("0-23"), "");  // all
  EXPECT_EQ(axes("0,3"), "");   // no product of coordinates
  EXPECT_EQ(axes("0,24"), "");  // not in the mesh
}

}  // namespace
}  // namespace shardlens
