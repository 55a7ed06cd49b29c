#include "core/ops/rules/rules.h"

// Operators whose answer all ranks have to agree on, or that give a number to the program.

namespace shardlens {
namespace {

// Every rank reads the same number.
std::vector<Row> whole(const OpSchema&) { return {}; }

// Equal, or close, are tensors whose parts are, on every rank.
std::vector<Row> equal(const OpSchema& call) {
  std::vector<Row> rows;
  if (call.input(0).shape != call.input(1).shape) return rows;
  for (int dim = 0; dim < call.input(0).ndim(); ++dim) {
    for (const auto& shard : shardsOf(call, dim)) rows.push_back({"sharded", {}, {shard, shard}});
  }
  return rows;
}

std::vector<TensorMeta> noTensor(const OpSchema&) { return {}; }

// gradient *= scale; found = max(found, whether any of it is not finite): each rank looks at its
// part, and all are told.
std::vector<Row> unscale(const OpSchema& call) {
  std::vector<Row> rows;
  for (int dim = 0; dim < call.input(0).ndim(); ++dim) {
    for (const auto& shard : shardsOf(call, dim)) {
      Row row{"sharded",
              Placements(call.outputs.size(), Replicate{}),
              {shard, Replicate{}, Replicate{}}};
      row.outputs.front() = shard;
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

std::vector<TensorMeta> scaleAndTracker(const OpSchema& call) {
  return {call.input(0), call.input(1)};
}

}  // namespace

std::vector<NamedRule> agreementRules() {
  constexpr auto kKept = Rule::EmptyShards::Kept;
  return {
      {"aten._local_scalar_dense", {.rows = whole, .outputs = noTensor}},
      {"aten.allclose", {.rows = equal, .emptyShards = kKept, .outputs = noTensor}},
      {"aten.equal", {.rows = equal, .emptyShards = kKept, .outputs = noTensor}},
      {"aten._amp_foreach_non_finite_check_and_unscale_", {.rows = unscale, .emptyShards = kKept}},
      {"aten._amp_update_scale_", {.rows = whole, .outputs = scaleAndTracker}}};
}

}  // namespace shardlens
