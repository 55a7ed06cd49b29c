#include "core/model/hash.h"

#include "tests/model/every_placement.h"
#include "tests/model/written.h"

#include <gtest/gtest.h>

#include <map>

namespace shardlens {
namespace {

template <class T>
std::size_t hashOf(const T& value) {
  Hasher hasher;
  hasher.add(value);
  return hasher.value();
}

// Caches look up by hash first, so a newly built spec must hash like an equal cached one.
TEST(Hasher, EqualSpecsHashAlike) {
  const std::string placements = "S(0) MaskP(sum,[10,3],0)";
  const Spec spec = specOf(meshOf({2, 3}), {10, 3}, placements);
  const Spec again = specOf(meshOf({2, 3}), {10, 3}, placements);
  ASSERT_NE(spec.mesh, again.mesh);
  EXPECT_EQ(spec, again);
  EXPECT_EQ(hashOf(spec), hashOf(again));
}

TEST(Hasher, EqualNumbersHashAlike) {
  const Placement zero = Partial{ReduceOp::PremulSum, 0.0};
  const Placement minusZero = Partial{ReduceOp::PremulSum, -0.0};
  EXPECT_EQ(zero, minusZero);
  EXPECT_EQ(hashOf(zero), hashOf(minusZero));
}

TEST(Hasher, PlacementsAreDistinguished) {
  std::map<std::size_t, std::string> seen;
  for (const auto& placement : everyPlacement()) {
    const auto [other, isNew] = seen.emplace(hashOf(placement), toText(placement));
    EXPECT_TRUE(isNew) << toText(placement) << " hashes as " << other->second;
  }
}

TEST(Hasher, PlacementsInAnotherOrderAreDistinguished) {
  std::map<std::size_t, std::string> seen;
  const auto all = placementsOf("R S(0) S(1) SS(0,2) P(sum) P(max) NormP(2) MaskP(sum,[10,3],0)");
  for (const auto& first : all) {
    for (const auto& second : all) {
      const Placements placements{first, second};
      const auto [other, isNew] = seen.emplace(hashOf(placements), toText(placements));
      EXPECT_TRUE(isNew) << toText(placements) << " hashes as " << other->second;
    }
  }
}

TEST(Hasher, EveryFieldOfASpecCounts) {
  const std::vector<Spec> specs = {
      specOf(meshOf({2}), {10, 3}, "S(0)"), specOf(meshOf({3}), {10, 3}, "S(0)"),
      specOf(meshOf({2}), {3, 10}, "S(0)"), specOf(meshOf({2}), {10, 3, 1}, "S(0)"),
      specOf(meshOf({2}), {10, 3}, "S(1)"), specOf(meshOf({2}), {10, 3}, "S(0)", DType::Float64),
  };
  std::map<std::size_t, std::string> seen;
  for (const auto& spec : specs) {
    const auto [other, isNew] = seen.emplace(hashOf(spec), toText(spec));
    EXPECT_TRUE(isNew) << toText(spec) << " hashes as " << other->second;
  }
}

}  // namespace
}  // namespace shardlens
