#include "core/inference/view_relation.h"

#include "core/ops/view_algebra.h"

#include <functional>
#include <numeric>
#include <set>

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

}  // namespace

Relation viewRelation(PlacementCodes& codes, const Shape& from, const Shape& to) {
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
  for (const auto& group : dimGroups(from, to)) {
    if (group.inputs.empty() || group.outputs.empty()) continue;
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
