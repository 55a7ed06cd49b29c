#include "core/imports/collectives.h"

#include "core/imports/placement_texts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace shardlens {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(CollectivesTest, AreKnownByAllTheirNames) {
  EXPECT_EQ(collectiveName("allreduce"), "all_reduce");
  EXPECT_EQ(collectiveName("AllReduce"), "all_reduce");
  EXPECT_EQ(collectiveName("allreduce_coalesced_"), "all_reduce");
  EXPECT_EQ(collectiveName("_allgather_base_"), "all_gather");
  EXPECT_EQ(collectiveName("all_gather_into_tensor"), "all_gather");
  EXPECT_EQ(collectiveName("reduce_scatter_tensor"), "reduce_scatter");
  EXPECT_EQ(collectiveName("alltoall_base_"), "all_to_all");
  EXPECT_EQ(collectiveName("reduce_"), "reduce");
  for (const char* none : {"wait", "wait_tensor", "send", "recv_any_source", "", "reduced"}) {
    EXPECT_EQ(collectiveName(none), "") << none;
  }
}

TEST(CollectivesTest, MembersOfACutListAreCounted) {
  EXPECT_THAT(groupMembers("[4, 0, 2]"), ElementsAre(0, 2, 4));
  EXPECT_THAT(groupMembers("[0, 2, ...]"), IsEmpty());
  EXPECT_THAT(groupMembers(1, 3, 3), ElementsAre(1, 4, 7));
  EXPECT_THAT(groupMembers(-1, 0, 3), IsEmpty());
  EXPECT_THAT(groupMembers(0, 1, std::int64_t{1} << 40), IsEmpty());
}

TEST(CollectivesTest, SizesOfUnknownTypesAreZero) {
  EXPECT_EQ(elementSize("BFloat16"), 2);
  EXPECT_EQ(elementSize("float"), 4);
  EXPECT_EQ(elementSize("long int"), 8);
  EXPECT_EQ(elementSize("b8"), 1);
  EXPECT_EQ(elementSize("float64"), 8);
  EXPECT_EQ(elementSize("TensorList"), 0);
}

TEST(PlacementTextsTest, ReadTheNotationOfDTensor) {
  EXPECT_EQ(shortPlacements("(Shard(dim=0), Replicate())"), "(S(0), R)");
  EXPECT_EQ(shortPlacements("(Partial(sum),)"), "P(sum)");
  EXPECT_EQ(toText(placementsOf("RS(0)").value()), "(R, S(0))");
  EXPECT_EQ(toText(placementsOf("S(1)P(sum)R").value()), "(S(1), P(sum), R)");
  EXPECT_FALSE(placementsOf("(RR, S(0)R)"));
  EXPECT_FALSE(placementsOf("S(0"));
}

}  // namespace
}  // namespace shardlens
