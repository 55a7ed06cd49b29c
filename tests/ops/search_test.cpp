#include "core/ops/search.h"

#include "tests/model/written.h"
#include "tests/ops/written_call.h"

#include <gtest/gtest.h>

#include <random>

namespace shardlens {
namespace {

std::string randomPlacements(std::mt19937& random, int dims, const std::vector<int>& mesh) {
  std::string text;
  for (int dim = 0; dim < dims; ++dim) {
    const bool strided = dim + 1 < dims;
    const std::vector<std::string> all = {
        "R", "S(0)", "S(1)", "P(sum)", strided ? "SS(0," + std::to_string(mesh.back()) + ")" : "R"};
    text += (text.empty() ? "" : " ") + all[random() % all.size()];
  }
  return text;
}

// Pruning candidates that cannot be the best does not change the choice, even for ties.
TEST(Search, EqualsAnExhaustiveSearch) {
  std::mt19937 random(5);
  const std::vector<std::vector<int>> meshes = {{2}, {4}, {2, 3}, {4, 2}, {2, 2, 2}, {3, 1, 2}};
  for (int i = 0; i < 600; ++i) {
    const auto& mesh = meshes[static_cast<std::size_t>(i) % meshes.size()];
    const int dims = static_cast<int>(mesh.size());
    const std::vector<std::string> names = {"aten.add.Tensor", "aten.mul.Tensor", "aten.gt.Tensor"};
    const WrittenCall call = {names[random() % names.size()],
                              {{{16, 12}, randomPlacements(random, dims, mesh)},
                               {{16, 12}, randomPlacements(random, dims, mesh)}},
                              {16, 12},
                              {},
                              mesh};
    const auto schema = schemaOf(call);
    const auto rule = findRule(call.name, OpTag::Pointwise);
    const auto all = propagate(schema, rule, {}, Reasons::Include);
    const auto best = propagate(schema, rule, {}, Reasons::Omit);
    ASSERT_EQ(all.has_value(), best.has_value());
    if (!all) continue;
    SCOPED_TRACE(call.name + " " + call.inputs[0].placements + " | " + call.inputs[1].placements);
    EXPECT_EQ(best->chosen.inputs, all->chosen.inputs);
    EXPECT_EQ(best->chosen.outputs, all->chosen.outputs);
    EXPECT_LE(best->candidates.size(), all->candidates.size());
  }
}

TEST(Search, ExploresFewStrategiesOverManyMeshDimensions) {
  const WrittenCall call = {
      "aten.add.Tensor",
      {{{64, 64, 64}, "S(0) S(1) P(sum) R S(2)"}, {{64, 64, 64}, "S(1) S(0) R P(sum) S(0)"}},
      {64, 64, 64}};
  const auto found = propagate(schemaOf(call), findRule(call.name), {}, Reasons::Include);
  ASSERT_TRUE(found);
  EXPECT_LT(found->candidates.size(), 1000U);  // of 10^5
}

}  // namespace
}  // namespace shardlens
