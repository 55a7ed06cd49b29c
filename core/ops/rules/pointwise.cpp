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

// out[i] = f(a[i], b[i], ...): cut alike along any dimension.
std::vector<Row> elementwise(const OpSchema& call) {
  const auto& output = call.outputs.front();
  std::vector<Row> rows;
  for (int dim = 0; dim < output.ndim(); ++dim) {
    for (const auto& shard : shardsOf(call, dim)) {
      Row row{"sharded", {shard}, {}};
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

std::vector<TensorMeta> asInput(const OpSchema& call) { return {call.input(0)}; }

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

std::vector<NamedRule> pointwiseRules() {
  const auto kept = Rule::EmptyShards::Kept;
  std::vector<NamedRule> rules;
  for (const auto name :
       {"aten.add.Tensor", "aten.add_.Tensor", "aten.sub.Tensor", "aten.sub_.Tensor",
        "aten.add.Scalar", "aten.add_.Scalar", "aten.sub_.Scalar", "aten.sub.Scalar"}) {
    rules.push_back({name, {.rows = additive, .emptyShards = kept}});
  }
  for (const auto name :
       {"aten.mul.Tensor", "aten.mul_.Tensor", "aten.mul.Scalar", "aten.mul_.Scalar"}) {
    rules.push_back({name, {.rows = multiplicative, .emptyShards = kept}});
  }
  for (const auto name :
       {"aten.div.Tensor", "aten.div_.Tensor", "aten.div.Scalar", "aten.div_.Scalar"}) {
    rules.push_back({name, {.rows = quotient, .emptyShards = kept}});
  }
  rules.push_back({"aten.copy_", {.rows = elementwise, .emptyShards = kept}});
  rules.push_back({"aten.neg", {.rows = negation, .emptyShards = kept}});
  for (const auto name : {"aten.relu", "aten.relu_"}) {
    rules.push_back({name, {.rows = elementwise, .emptyShards = kept, .outputs = asInput}});
  }
  for (const auto name : {"aten.threshold_backward", "aten.tanh", "aten.tanh_backward",
                          "aten.sigmoid", "aten.sigmoid_backward"}) {
    rules.push_back({name, {.rows = elementwise, .emptyShards = kept}});
  }
  return rules;
}

}  // namespace shardlens
