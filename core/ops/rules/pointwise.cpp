#include "core/ops/rules/rules.h"

namespace shardlens {
namespace {

// The placement of an input when the output is cut along outputDim: the same cut, or whole where
// the input is broadcast along that dimension.
Placement alongside(const TensorMeta& input, const TensorMeta& output, int outputDim,
                    Placement shard) {
  const int dim = outputDim - (output.ndim() - input.ndim());
  if (dim < 0) return Replicate{};
  const auto at = static_cast<std::size_t>(dim);
  if (input.shape[at] == 1 && output.shape[static_cast<std::size_t>(outputDim)] != 1) {
    return Replicate{};
  }
  if (auto* plain = std::get_if<Shard>(&shard)) plain->dim = dim;
  if (auto* strided = std::get_if<StridedShard>(&shard)) strided->dim = dim;
  return shard;
}

std::vector<Row> elementwise(const OpSchema& call) {
  const auto& output = call.outputs.front();
  std::vector<Row> rows;
  for (int dim = 0; dim < output.ndim(); ++dim) {
    for (const auto& shard : shardsOf(call, dim)) {
      Row row{"sharded", Placements(call.outputs.size(), shard), {}};
      for (const auto& input : call.inputs) {
        row.inputs.push_back(alongside(input.meta, output, dim, shard));
      }
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

// Terms may be combined before they are reduced only where that is exact: without a change of
// dtype, and other than by adding only among fractions.
bool termsCombine(const OpSchema& call, ReduceOp op) {
  const DType dtype = call.outputs.front().dtype;
  for (const auto& input : call.inputs) {
    if (input.meta.dtype != dtype) return false;
  }
  return isFloating(dtype) || (op == ReduceOp::Sum && dtype != DType::Bool);
}

class PartialRows {
 public:
  PartialRows(const OpSchema& call, std::vector<Row> rows) : call_(call), rows_(std::move(rows)) {}

  void add(ReduceOp output, std::vector<Placement> inputs) {
    if (!termsCombine(call_, output)) return;
    rows_.push_back({"partial", {Partial{output}}, std::move(inputs)});
  }
  std::vector<Row> take() { return std::move(rows_); }

 private:
  const OpSchema& call_;
  std::vector<Row> rows_;
};

// a + b: sums of terms are the terms' sums; an average also takes a whole on one side.
std::vector<Row> additive(const OpSchema& call) {
  PartialRows rows(call, elementwise(call));
  if (call.inputs.size() != 2) return rows.take();
  for (const auto op : {ReduceOp::Sum, ReduceOp::Avg}) {
    rows.add(op, {Partial{op}, Partial{op}});
  }
  for (const auto op : {ReduceOp::Avg, ReduceOp::Max, ReduceOp::Min}) {
    rows.add(op, {Partial{op}, Replicate{}});
  }
  rows.add(ReduceOp::Avg, {Replicate{}, Partial{ReduceOp::Avg}});
  return rows.take();
}

// a * b is linear in each factor: one may be a sum of terms, the other whole.
std::vector<Row> multiplicative(const OpSchema& call) {
  PartialRows rows(call, elementwise(call));
  for (const auto op : {ReduceOp::Sum, ReduceOp::Avg}) {
    if (call.inputs.size() == 1) rows.add(op, {Partial{op}});
    if (call.inputs.size() == 2) {
      rows.add(op, {Partial{op}, Replicate{}});
      rows.add(op, {Replicate{}, Partial{op}});
    }
  }
  return rows.take();
}

// a / b is linear in the numerator alone.
std::vector<Row> quotient(const OpSchema& call) {
  PartialRows rows(call, elementwise(call));
  for (const auto op : {ReduceOp::Sum, ReduceOp::Avg}) {
    if (call.inputs.size() == 1) rows.add(op, {Partial{op}});
    if (call.inputs.size() == 2) rows.add(op, {Partial{op}, Replicate{}});
  }
  return rows.take();
}

std::vector<Row> negation(const OpSchema& call) {
  PartialRows rows(call, elementwise(call));
  rows.add(ReduceOp::Sum, {Partial{ReduceOp::Sum}});
  rows.add(ReduceOp::Avg, {Partial{ReduceOp::Avg}});
  rows.add(ReduceOp::Min, {Partial{ReduceOp::Max}});
  rows.add(ReduceOp::Max, {Partial{ReduceOp::Min}});
  return rows.take();
}

}  // namespace

const Rule& elementwiseRule() {
  static constexpr Rule kRule{.rows = elementwise, .emptyShards = Rule::EmptyShards::Kept};
  return kRule;
}

std::vector<NamedRule> pointwiseRules() {
  const auto linear = [](auto rows) {
    return Rule{.rows = rows, .emptyShards = Rule::EmptyShards::Kept};
  };
  return {{"aten.add.*", linear(additive)},
          {"aten.sub.*", linear(additive)},
          {"aten.mul.*", linear(multiplicative)},
          {"aten.div.*", linear(quotient)},
          {"aten.neg", linear(negation)},
          {"aten.copy", linear(elementwise)}};
}

}  // namespace shardlens
