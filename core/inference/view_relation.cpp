#include "core/inference/view_relation.h"

#include "core/ops/view_algebra.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <ranges>
#include <set>
#include <span>

namespace shardlens {
namespace {

std::int64_t product(const Shape& shape, const std::vector<int>& dims, std::size_t count) {
  std::int64_t result = 1;
  for (std::size_t i = 0; i < count; ++i) result *= shape[static_cast<std::size_t>(dims[i])];
  return result;
}

// Returns the placement of `count` elements before a chunk along the dimensions `dims`, into which
// a rank's part of a group of dimensions is divided. nullopt if no dimension begins there.
std::optional<Placement> chunkedAt(const Shape& shape, const std::vector<int>& dims,
                                   std::int64_t before) {
  for (std::size_t i = 0; i < dims.size(); ++i) {
    const auto outside = product(shape, dims, i);
    const bool isWithin = shape[static_cast<std::size_t>(dims[i])] != 1 || dims.size() == 1;
    if (outside == before && isWithin) return Shard{dims[i]};
  }
  if (dims.size() != 1 || before <= 1) return std::nullopt;
  return StridedShard{dims.front(), static_cast<int>(before)};
}

bool isAdded(const DimGroup& group) { return group.inputs.empty(); }
bool isRemoved(const DimGroup& group) { return group.outputs.empty(); }

// Returns the placements on one side of a view of a shard of a dimension that exists on the other
// side only, where each rank has one element of it: a shard of the dimension that follows, or of
// the one before, with which it was merged. Empty if one of these is unknown.
Placements besideOne(const Shape& shape, const std::vector<int>& before,
                     const std::vector<int>& after) {
  if (after.empty()) return {};
  if (before.empty()) return {Shard{after.front()}};
  const auto count = product(shape, before, before.size());
  if (before.size() != 1 || count == 1) return {};
  return {Shard{after.front()}, StridedShard{before.front(), static_cast<int>(count)}};
}

// Returns the first of these groups that has dimensions on both sides; empty if there is none.
template <typename Groups>
DimGroup firstOfBoth(Groups groups) {
  const auto found = std::ranges::find_if(
      groups, [](const DimGroup& group) { return !isAdded(group) && !isRemoved(group); });
  return found == groups.end() ? DimGroup{} : *found;
}

// Adds what a view makes of a shard of a dimension that it adds or removes; see besideOne().
void addOnes(PlacementCodes& codes, const Shape& from, const Shape& to,
             const std::vector<DimGroup>& groups, std::size_t place, Relation& relation) {
  const std::span all(groups);
  const DimGroup& group = groups[place];
  const auto before = firstOfBoth(all.first(place) | std::views::reverse);
  const auto after = firstOfBoth(all.subspan(place + 1));
  const auto sides = isAdded(group) ? besideOne(from, before.inputs, after.inputs)
                                    : besideOne(to, before.outputs, after.outputs);
  if (sides.empty()) return;
  const int one =
      codes.codeOf(Shard{isAdded(group) ? group.outputs.front() : group.inputs.front()});
  const auto add = [&](int other) {
    relation.rows.push_back(isAdded(group) ? Relation::Row{{other}, {one}}
                                           : Relation::Row{{one}, {other}});
  };
  for (const auto& placement : sides) add(codes.codeOf(placement));
  add(PlacementCodes::kOther);  // values of each rank
  if (isAdded(group)) {
    relation.rows.push_back({{PlacementCodes::kOther}, {PlacementCodes::kOther}});
  }
}

}  // namespace

Relation viewRelation(PlacementCodes& codes, const Shape& from, const Shape& to, bool addsOnly) {
  // A view as a dtype of another size is no view of the same elements.
  if (elementCount(from) != elementCount(to)) return {};
  Relation relation{.isOpen = true, .isKnown = true};
  const auto add = [&](const Placement& input, const Placement& output) {
    relation.rows.push_back({{codes.codeOf(input)}, {codes.codeOf(output)}});
  };
  add(Replicate{}, Replicate{});
  for (const auto op : {ReduceOp::Sum, ReduceOp::Avg, ReduceOp::Max, ReduceOp::Min}) {
    add(Partial{op}, Partial{op});
  }
  if (elementCount(from) == 0) return relation;  // every rank has all elements
  const auto groups = dimGroups(from, to);
  for (std::size_t place = 0; place < groups.size(); ++place) {
    const auto& group = groups[place];
    if (isAdded(group) || isRemoved(group)) {
      if (!isAdded(group) || !addsOnly) addOnes(codes, from, to, groups, place, relation);
      continue;
    }
    std::set<std::int64_t> counts;  // of elements before each possible chunk
    for (std::size_t i = 0; i < group.inputs.size(); ++i) {
      counts.insert(product(from, group.inputs, i));
    }
    for (std::size_t i = 0; i < group.outputs.size(); ++i) {
      counts.insert(product(to, group.outputs, i));
    }
    for (const auto before : counts) {
      const auto input = chunkedAt(from, group.inputs, before);
      const auto output = chunkedAt(to, group.outputs, before);
      if (input && output) add(*input, *output);
    }
  }
  return relation;
}

}  // namespace shardlens
