#include "core/plan/planner.h"
#include "core/plan/search/min_cost.h"
#include "tests/model/written.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>

namespace shardlens {
namespace {

struct Cost {
  double microseconds = INFINITY;
  int collectives = 1000;
};

using Planner = std::function<Result<Plan>(const Spec&, const Placements&)>;

Result<Plan> chosen(const Spec& from, const Placements& to) {
  return makePlan(PlannerKind::MinCost, {}, from, to);
}

// Returns the plan of the search, before adjacent collectives are merged.
Result<Plan> found(const Spec& from, const Placements& to) {
  return planGreedy(from, to).transform(
      [&](const Plan& greedy) { return planMinCost({}, from, to, greedy).plan; });
}

Cost costOf(const Planner& planner, const Spec& from, const Placements& to) {
  const auto plan = planner(from, to);
  if (!plan) return {};
  return {priceOf({}, from, *plan).microseconds, collectiveCount(*from.mesh, *plan)};
}

// Returns all shardings of a tensor by the mesh dimensions, in every order, without duplicates.
// With `withWholes`, mesh dimensions may also replicate.
std::vector<Placements> ordersOfCuts(const DeviceMesh& mesh, int tensorNdim, bool withWholes) {
  const auto ndim = static_cast<std::size_t>(mesh.ndim());
  std::map<std::string, Placements> orders;
  std::vector<int> order(ndim);
  std::iota(order.begin(), order.end(), 0);
  do {
    std::vector<int> cuts(ndim, withWholes ? -1 : 0);
    for (bool more = true; more;) {
      Placements placements(ndim, Replicate{});
      for (auto axis = order.begin(); axis != order.end(); ++axis) {
        const auto at = static_cast<std::size_t>(*axis);
        if (cuts[at] < 0) continue;
        int pieces = 1;
        for (auto before = order.begin(); before != axis; ++before) {
          const bool same = cuts[static_cast<std::size_t>(*before)] == cuts[at];
          if (same && *before > *axis) pieces *= mesh.size(*before);
        }
        placements[at] =
            pieces == 1 ? Placement(Shard{cuts[at]}) : Placement(StridedShard{cuts[at], pieces});
      }
      orders.emplace(toText(placements), placements);
      more = false;
      for (std::size_t i = 0; i < ndim && !more; ++i) {
        more = ++cuts[i] < tensorNdim;
        if (!more) cuts[i] = withWholes ? -1 : 0;
      }
    }
  } while (std::next_permutation(order.begin(), order.end()));
  std::vector<Placements> all;
  for (const auto& [text, placements] : orders) all.push_back(placements);
  return all;
}

// Statistics over all triples (a, b, c) of placements. Counts the triples, and those whose plans a
// -> b -> c take less time or fewer collectives than the plan a -> c. `spared` is the largest
// saving in microseconds.
struct Detours {
  int all = 0;
  int faster = 0;
  int fewer = 0;
  double spared = 0;
};

Detours detours(const Planner& planner, const MeshPtr& mesh, const Shape& shape,
                const std::vector<Placements>& layouts) {
  std::vector<std::vector<Cost>> costs;
  for (const auto& from : layouts) {
    const Spec current{mesh, from, {shape, contiguousStrides(shape), DType::Float32}};
    auto& row = costs.emplace_back();
    for (const auto& to : layouts) row.push_back(costOf(planner, current, to));
  }
  constexpr double kRounding = 1e-3;
  Detours detours;
  for (std::size_t a = 0; a < layouts.size(); ++a) {
    for (std::size_t b = 0; b < layouts.size(); ++b) {
      for (std::size_t c = 0; c < layouts.size(); ++c) {
        ++detours.all;
        const double spared =
            costs[a][c].microseconds - costs[a][b].microseconds - costs[b][c].microseconds;
        if (spared > kRounding) ++detours.faster;
        detours.spared = std::max(detours.spared, spared);
        if (costs[a][c].collectives > costs[a][b].collectives + costs[b][c].collectives) {
          ++detours.fewer;
        }
      }
    }
  }
  return detours;
}

Detours detours(const Planner& planner, const std::vector<int>& sizes, const Shape& shape,
                bool withWholes = false) {
  const auto mesh = meshOf(sizes);
  const auto layouts = ordersOfCuts(*mesh, static_cast<int>(shape.size()), withWholes);
  return detours(planner, mesh, shape, layouts);
}

TEST(TriangleInequality, HoldsOnOneMeshDimension) {
  std::vector<Placements> layouts;
  for (const auto* each : {"R", "S(0)", "S(1)", "P(sum)", "SS(0,2)", "SS(1,2)"}) {
    layouts.push_back(placementsOf(each));
  }
  for (const auto& shape : std::vector<Shape>{{64, 32}, {5, 3}, {1 << 16, 64}}) {
    const Detours found = detours(chosen, meshOf({4}), shape, layouts);
    EXPECT_EQ(found.all, 6 * 6 * 6);
    EXPECT_EQ(found.faster, 0) << toText(shape);
    EXPECT_EQ(found.fewer, 0) << toText(shape);
  }
}

TEST(TriangleInequality, HoldsAmongShardOrdersOfTwoMeshDimensions) {
  for (const auto& sizes : std::vector<std::vector<int>>{{2, 2}, {4, 2}, {2, 4}, {3, 2}}) {
    for (const auto& shape : std::vector<Shape>{{16, 8}, {5, 3}, {4096, 4096}}) {
      const Detours found = detours(chosen, sizes, shape);
      EXPECT_EQ(found.all, 6 * 6 * 6);
      EXPECT_EQ(found.faster, 0) << toText(shape) << " on " << sizes[0] << "x" << sizes[1];
      EXPECT_EQ(found.fewer, 0) << toText(shape) << " on " << sizes[0] << "x" << sizes[1];
    }
  }
}

TEST(TriangleInequality, HoldsAmongShardOrdersOfThree) {
  const Detours large = detours(chosen, {2, 2, 2}, {4096, 4096});
  EXPECT_EQ(large.all, 24 * 24 * 24);
  EXPECT_EQ(large.faster, 0);
  EXPECT_EQ(large.fewer, 0);
  const Detours small = detours(found, {2, 2, 2}, {16, 8});
  EXPECT_EQ(small.faster, 0);
  EXPECT_EQ(small.fewer, 0);
  // A plan may not send more bytes than the greedy one, even if that would save ten nanoseconds.
  const Detours uneven = detours(found, {2, 2, 2}, {13, 2, 13});
  EXPECT_EQ(uneven.all, 60 * 60 * 60);
  EXPECT_LT(uneven.spared, 0.011);
  EXPECT_EQ(uneven.fewer, 0);
}

TEST(TriangleInequality, HoldsForCollectivesWithReplicatedMeshDimensions) {
  for (const auto& sizes : std::vector<std::vector<int>>{{2, 2}, {2, 4}, {2, 2, 2}}) {
    const Detours small = detours(found, sizes, {16, 8}, /*withWholes=*/true);
    EXPECT_EQ(small.all, sizes.size() == 2 ? 11 * 11 * 11 : 49 * 49 * 49);
    EXPECT_LT(small.spared, 0.003);
    EXPECT_EQ(small.fewer, 0);
  }
}

// Cases in which a detour is faster, with the reason why its plan is not chosen.
TEST(TriangleInequality, DoesNotHoldWhereAPlanMayNotBeTaken) {
  struct Case {
    std::vector<int> mesh;
    std::int64_t side;
    std::string from, over, to;
    double direct, detour;  // microseconds
  };
  const std::vector<Case> cases = {
      // The detour's all_gather over both dimensions is heavier than an all_to_all over one of
      // them. Its bytes do not save as much time as one startup takes. See choice.h.
      {{2, 2}, 16, "S(0) S(1)", "R R", "S(1) R", 18.625, 14.737},
      // An all_to_all over several mesh dimensions only creates shards of the target. Here it would
      // have to create those of the intermediate placements.
      {{2, 2}, 4096, "S(0) S(0)", "S(1) S(0)", "R S(0)", 1638.275, 1441.215},
      // Only adjacent collectives of the found plan are merged. The detour has other neighbours.
      {{2, 2, 2}, 16, "S(0) S(0) S(1)", "S(0) S(0) S(0)", "S(1) SS(0,2) S(0)", 27.931, 24.008},
      // A replicated dimension is not sharded only to be padded into partial values.
      {{2, 2}, 4096, "R P(sum)", "S(0) R", "P(sum) R", 3251.349, 1631.675},
  };
  for (const auto& [sizes, side, from, over, to, direct, detour] : cases) {
    const auto mesh = meshOf(sizes);
    const auto cost = [&](const std::string& a, const std::string& b) {
      return costOf(chosen, specOf(mesh, {side, side}, a), placementsOf(b)).microseconds;
    };
    EXPECT_NEAR(cost(from, to), direct, 1e-3) << from << " to " << to;
    EXPECT_NEAR(cost(from, over) + cost(over, to), detour, 1e-3)
        << from << " to " << to << " over " << over;
  }
}

}  // namespace
}  // namespace shardlens
