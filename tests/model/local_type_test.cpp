#include "core/model/local_type.h"

#include <gtest/gtest.h>

namespace shardlens {
namespace {

TEST(LocalTypes, HaveTheNotationOfSpmdTypes) {
  for (const auto type :
       {LocalType::Replicate, LocalType::Invariant, LocalType::Varying, LocalType::Partial}) {
    EXPECT_EQ(parseLocalType(toText(type)), type);
  }
  EXPECT_EQ(toText(LocalType::Invariant), "I");
  EXPECT_EQ(parseLocalType("S(0)"), std::nullopt);
  EXPECT_EQ(parseLocalType(""), std::nullopt);
}

TEST(LocalTypes, ImplyAPlacementUnlessTheyVary) {
  EXPECT_EQ(placementOf(LocalType::Replicate), Placement(Replicate{}));
  EXPECT_EQ(placementOf(LocalType::Invariant), Placement(Replicate{}));
  EXPECT_EQ(placementOf(LocalType::Partial), Placement(Partial{}));
  EXPECT_EQ(placementOf(LocalType::Varying), std::nullopt);
}

}  // namespace
}  // namespace shardlens
