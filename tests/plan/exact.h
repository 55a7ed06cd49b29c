#pragma once

#include "core/model/shard_geometry.h"
#include "core/plan/planner.h"
#include "tests/model/written.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace shardlens {

// Returns the elements that a rank has, as sorted linear indices into the whole tensor.
inline std::vector<std::int64_t> elementsOf(const Spec& spec, const Placements& placements,
                                            int rank) {
  std::vector<std::int64_t> elements{0};
  const auto owned = ownedRuns(spec.meta.shape, *spec.mesh, placements, rank);
  for (std::size_t dim = 0; dim < owned.size(); ++dim) {
    std::vector<std::int64_t> further;
    for (const auto before : elements) {
      for (const auto& run : owned[dim]) {
        for (auto at = run.begin; at < run.begin + run.length; ++at) {
          further.push_back(before * spec.meta.shape[dim] + at);
        }
      }
    }
    elements = std::move(further);
  }
  std::sort(elements.begin(), elements.end());
  return elements;
}

// Returns the sorted elements of a group of ranks. If `parted`, the members must not overlap, else
// all must have the same elements. Returns nullopt if they do not.
inline std::optional<std::vector<std::int64_t>> heldBy(const Spec& spec,
                                                       const std::vector<int>& group,
                                                       const Placements& placements, bool parted) {
  const auto first = elementsOf(spec, placements, group.front());
  std::vector<std::int64_t> all;
  for (const int rank : group) {
    const auto held = elementsOf(spec, placements, rank);
    if (!parted && held != first) return std::nullopt;
    all.insert(all.end(), held.begin(), held.end());
  }
  if (!parted) return first;
  std::sort(all.begin(), all.end());
  if (std::adjacent_find(all.begin(), all.end()) != all.end()) return std::nullopt;
  return all;
}

// Returns true if no rank's elements change.
inline bool isSameHeld(const Spec& spec, const TransformInfo& step) {
  for (const int rank : spec.mesh->ranks()) {
    if (elementsOf(spec, step.from, rank) != elementsOf(spec, step.to, rank)) return false;
  }
  return true;
}

// Returns true if the step creates partial values while a partial is still to be reduced. That
// reduction would combine the new partial values as well.
inline bool makesPartialsTooSoon(const TransformInfo& step, const Placements& target) {
  if (step.move != Move::MakePartial) return false;
  for (std::size_t dim = 0; dim < target.size(); ++dim) {
    if (isPartial(step.from[dim]) && !isPartial(target[dim])) return true;
  }
  return false;
}

// Returns true if the elements of each group are the same before and after the step, parted or
// replicated as the move requires. Uninvolved mesh dimensions must keep their placements.
inline bool isExact(const Spec& spec, const TransformInfo& step) {
  for (int dim = 0; dim < spec.mesh->ndim(); ++dim) {
    const auto& from = step.from[static_cast<std::size_t>(dim)];
    const auto& to = step.to[static_cast<std::size_t>(dim)];
    const bool takesPart =
        std::find(step.meshDims.begin(), step.meshDims.end(), dim) != step.meshDims.end();
    const bool reduces = step.move == Move::AllReduce || step.move == Move::ReduceScatter;
    if (takesPart && reduces && !isPartial(from)) return false;
    if (takesPart && reduces && isPartial(to)) return false;
    if (!takesPart && from != to && !(shardedDim(from) && shardedDim(from) == shardedDim(to))) {
      return false;
    }
  }
  if (step.move == Move::Relabel) return isSameHeld(spec, step);
  const bool partedBefore =
      step.move == Move::AllGather || step.move == Move::AllToAll || step.move == Move::Pad;
  const bool partedAfter =
      step.move == Move::Slice || step.move == Move::ReduceScatter || step.move == Move::AllToAll;
  for (const auto& group : spec.mesh->groups(step.meshDims)) {
    const auto before = heldBy(spec, group, step.from, partedBefore);
    const auto after = heldBy(spec, group, step.to, partedAfter);
    if (!before || before != after) return false;
  }
  return true;
}

// Succeeds if the plan leads from current to target in contiguous, exact steps.
inline testing::AssertionResult isExact(const Spec& current, const Placements& target,
                                        const Plan& plan) {
  Placements at = current.placements;
  for (const auto& step : plan) {
    if (step.from != at || !isExact(current, step) || makesPartialsTooSoon(step, target)) {
      return testing::AssertionFailure()
             << toText(current) << " on "
             << toText(Shape(current.mesh->shape().begin(), current.mesh->shape().end())) << ": "
             << toText(current.placements, plan) << ": wrong to " << toText(step.to);
    }
    at = step.to;
  }
  if (at == target) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "ends at " << toText(at) << ", not " << toText(target);
}

// A redistribution to plan: a tensor on a mesh, and its target placements.
struct Journey {
  Spec from;
  Placements to;
};

// Generates redistributions on meshes of one to five dimensions, with even and uneven shapes and
// all kinds of shards. Sources have partials of one kind, targets of the same or another kind.
class RandomJourneys {
 public:
  explicit RandomJourneys(unsigned seed) : random_(seed) {}

  Journey next() {
    std::vector<int> sizes;
    const int meshNdim = upTo(1, 5);
    int ranks = 1;
    for (int i = 0; i < meshNdim; ++i) {
      int size = upTo(1, 4);
      if (ranks * size > 48) size = 1;
      ranks *= sizes.emplace_back(size);
    }
    Shape shape;
    const int ndim = upTo(1, 3);
    const bool even = upTo(0, 1) == 0;
    for (int d = 0; d < ndim; ++d) shape.push_back(even ? 8 * upTo(1, 2) : upTo(0, 9));
    const std::vector kinds{ReduceOp::Sum, ReduceOp::Avg, ReduceOp::Max, ReduceOp::Product};
    const ReduceOp before = kinds[choose(4)];
    std::optional<ReduceOp> after;
    if (upTo(0, 3) == 0) after = upTo(0, 1) == 0 ? before : kinds[choose(3)];
    const auto mesh = meshOf(sizes);
    Placements from = placements(meshNdim, ndim, before);
    Placements to = placements(meshNdim, ndim, after);
    return {{mesh, std::move(from), {shape, contiguousStrides(shape), DType::Float32}},
            std::move(to)};
  }

 private:
  int upTo(int least, int most) { return std::uniform_int_distribution(least, most)(random_); }
  std::size_t choose(int n) { return static_cast<std::size_t>(upTo(0, n - 1)); }

  Placements placements(int meshNdim, int ndim, std::optional<ReduceOp> partial) {
    Placements list;
    for (int i = 0; i < meshNdim; ++i) {
      const int kind = upTo(0, 9);
      if (kind < 2) {
        list.push_back(Replicate{});
      } else if (kind == 2) {
        list.push_back(partial ? Placement(Partial{*partial}) : Placement(Replicate{}));
      } else if (kind < 7) {
        list.push_back(Shard{upTo(0, ndim - 1)});
      } else {
        list.push_back(StridedShard{upTo(0, ndim - 1), upTo(1, 4)});
      }
    }
    return list;
  }

  std::mt19937 random_;
};

}  // namespace shardlens
