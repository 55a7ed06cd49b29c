// Operators that read or write at indices. Indices refer to the whole tensor, so the indexed
// dimension is sharded only if the ids of other ranks' rows are masked.

#include "core/ops/rules/rules.h"

#include <algorithm>

namespace shardlens {
namespace {

int dimOf(const OpSchema& call) { return dimArg(call, "dim", std::max(call.input(0).ndim(), 1)); }

std::int64_t sizeAt(const TensorMeta& meta, int dim) {
  return meta.shape[static_cast<std::size_t>(dim)];
}

// Selecting from partials gives partials of any op, because every rank selects alike.
void addPartials(std::vector<SingleDimStrategy>& strategies) {
  for (const auto op : {ReduceOp::Sum, ReduceOp::Avg, ReduceOp::Max, ReduceOp::Min}) {
    strategies.push_back({"partial", {Partial{op}}, {Partial{op}, Replicate{}}});
  }
}

// out[i][j] = input[index[i][j]][j]. If the index is shorter than the input along a dimension, the
// same shard would be another range in each.
std::vector<SingleDimStrategy> gather(const OpSchema& call) {
  const auto& input = call.input(0);
  const auto& index = call.input(1);
  const int dim = dimOf(call);
  std::vector<SingleDimStrategy> strategies;
  addPartials(strategies);
  if (input.ndim() == 0 || index.ndim() != input.ndim()) return strategies;
  if (sizeAt(index, dim) == 1) {
    const MaskPartial masked{ReduceOp::Sum, input.shape, dim};
    strategies.push_back({"row-wise", {masked}, {Shard{dim}, masked}});
  }
  for (const auto& shard : shardsOf(call, dim)) {
    strategies.push_back({"batch", {shard}, {Replicate{}, shard}});
  }
  for (int d = 0; d < input.ndim(); ++d) {
    if (d == dim || sizeAt(input, d) != sizeAt(index, d)) continue;
    for (const auto& shard : shardsOf(call, d))
      strategies.push_back({"sharded", {shard}, {shard, shard}});
  }
  return strategies;
}

// out = input, except out[index[i][j]][j] = source[i][j], or combined with the old value.
std::vector<SingleDimStrategy> scatter(const OpSchema& call) {
  const auto& input = call.input(0);
  const int dim = dimOf(call);
  std::vector<SingleDimStrategy> strategies;
  for (int d = 0; d < input.ndim(); ++d) {
    const bool aligned = std::all_of(call.inputs.begin(), call.inputs.end(), [&](const Spec& each) {
      return each.meta.ndim() == input.ndim() && sizeAt(each.meta, d) == sizeAt(input, d);
    });
    if (d == dim || !aligned) continue;
    for (const auto& shard : shardsOf(call, d)) {
      strategies.push_back({"sharded", {shard}, Placements(call.inputs.size(), shard)});
    }
  }
  return strategies;
}

// Returns placements for all inputs: the given ones first, the rest replicated.
Placements whole(const OpSchema& call, Placements first) {
  first.resize(call.inputs.size(), Replicate{});
  return first;
}

// out[i] = input[index[i]]
std::vector<SingleDimStrategy> indexSelect(const OpSchema& call) {
  const int dim = dimOf(call);
  std::vector<SingleDimStrategy> strategies;
  for (int d = 0; d < call.input(0).ndim(); ++d) {
    if (d == dim) continue;
    for (const auto& shard : shardsOf(call, d)) {
      strategies.push_back({"sharded", {shard}, {shard, Replicate{}}});
    }
  }
  if (call.input(0).ndim() > 0 && call.input(1).ndim() > 0) {
    const auto outputs = shardsOf(call, dim);
    const auto indices = shardsOf(call, 0);
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      strategies.push_back({"batch", {outputs[i]}, {Replicate{}, indices[i]}});
    }
  }
  addPartials(strategies);
  return strategies;
}

std::vector<TensorMeta> indexSelectOutputs(const OpSchema& call) {
  TensorMeta meta = call.input(0);
  const auto& index = call.input(1).shape;
  if (meta.ndim() > 0) meta.shape[static_cast<std::size_t>(dimOf(call))] = elementCount(index);
  meta.strides = contiguousStrides(meta.shape);
  return {meta};
}

// out = input, except out[index[i]] = source[i], or a value, or combined with the old value.
std::vector<SingleDimStrategy> indexFill(const OpSchema& call) {
  const int dim = dimOf(call);
  std::vector<SingleDimStrategy> strategies;
  for (int d = 0; d < call.input(0).ndim(); ++d) {
    if (d == dim) continue;
    for (const auto& shard : shardsOf(call, d)) {
      SingleDimStrategy strategy{"sharded", {shard}, {shard, Replicate{}}};
      const bool hasSource = call.inputs.size() == 3 && call.input(2).ndim() > 0;
      if (call.inputs.size() == 3) strategy.inputs.push_back(hasSource ? shard : Replicate{});
      strategies.push_back(std::move(strategy));
    }
  }
  return strategies;
}

std::vector<SingleDimStrategy> indexAdd(const OpSchema& call) {
  auto strategies = indexFill(call);
  strategies.push_back({"partial", {Partial{}}, {Partial{}, Replicate{}, Partial{}}});
  return strategies;
}

// out[i] = input[index[i]], where the index counts through the flattened input.
std::vector<SingleDimStrategy> take(const OpSchema& call) {
  std::vector<SingleDimStrategy> strategies;
  for (int dim = 0; dim < call.input(1).ndim(); ++dim) {
    for (const auto& shard : shardsOf(call, dim)) {
      strategies.push_back({"batch", {shard}, {Replicate{}, shard}});
    }
  }
  addPartials(strategies);
  return strategies;
}

std::vector<TensorMeta> takeOutputs(const OpSchema& call) {
  const auto& index = call.input(1).shape;
  return {inOrder(index, call.input(0).dtype)};
}

// out = input, except out[index[i]] = source[i], or added to it. Linear in both. The index counts
// through the flattened tensor, so index and source are replicated, and each rank writes to its
// part.
std::vector<SingleDimStrategy> put(const OpSchema& call) {
  auto strategies = writtenOnParts(call);
  strategies.push_back({"partial", {Partial{}}, {Partial{}, Replicate{}, Partial{}}});
  return strategies;
}

// Which dimensions of a tensor a list of indices reads, and where the other dimensions are in the
// result.
class Indexed {
 public:
  explicit Indexed(const OpSchema& call) : ndim_(call.input(0).ndim()) {
    const auto& list = std::get<std::vector<TensorIndex>>(call.arg("indices"));
    for (std::size_t dim = 0; dim < list.size(); ++dim) {
      if (list[dim].isNone()) continue;
      const auto& index = call.input(list[dim].index);
      broadcast_ = std::max(broadcast_, index.ndim());
      masks_ = masks_ || index.dtype == DType::Bool || index.dtype == DType::UInt8;
      inputs_.push_back(list[dim].index);
      dims_.push_back(static_cast<int>(dim));
    }
    const bool adjacent =
        dims_.empty() || dims_.back() - dims_.front() + 1 == static_cast<int>(dims_.size());
    insertedAt_ = adjacent && !dims_.empty() ? dims_.front() : 0;
  }

  // A mask selects a number of elements that depends on its values.
  bool masks() const { return masks_; }
  // Returns true if the only index is a bool mask of the first dimensions.
  bool isOneMask(const OpSchema& call) const {
    return inputs_.size() == 1 && dims_.front() == 0 &&
           call.input(inputs_.front()).dtype == DType::Bool;
  }
  bool reads(int dim) const { return std::count(dims_.begin(), dims_.end(), dim) > 0; }
  // Returns the position in the result of a dimension that is not read.
  int inResult(int dim) const {
    if (dim < insertedAt_) return dim;
    const auto before = std::count_if(dims_.begin(), dims_.end(), [&](int d) { return d < dim; });
    return dim - static_cast<int>(before) + broadcast_;
  }
  const std::vector<std::size_t>& inputs() const { return inputs_; }
  int broadcast() const { return broadcast_; }  // number of dimensions of the broadcast indices
  int insertedAt() const { return insertedAt_; }
  int resultDims() const { return ndim_ - static_cast<int>(dims_.size()) + broadcast_; }
  Shape resultShape(const OpSchema& call) const {
    Shape shape;
    for (int dim = 0; dim < ndim_; ++dim) {
      if (!reads(dim)) shape.push_back(sizeAt(call.input(0), dim));
    }
    Shape read(static_cast<std::size_t>(broadcast_), 1);
    for (const auto input : inputs_) {
      const auto& index = call.input(input).shape;
      for (std::size_t i = 1; i <= index.size(); ++i) {
        if (index[index.size() - i] != 1) read[read.size() - i] = index[index.size() - i];
      }
    }
    shape.insert(shape.begin() + insertedAt_, read.begin(), read.end());
    return shape;
  }

 private:
  int ndim_;
  std::vector<int> dims_;
  std::vector<std::size_t> inputs_;
  int broadcast_ = 0;
  int insertedAt_ = 0;
  bool masks_ = false;
};

// out[i, k] = input[index[i], k], for any number of indices and dimensions between them
std::vector<SingleDimStrategy> index(const OpSchema& call) {
  const Indexed indexed(call);
  std::vector<SingleDimStrategy> strategies;
  if (indexed.masks()) return strategies;
  for (int dim = 0; dim < call.input(0).ndim(); ++dim) {
    if (indexed.reads(dim)) continue;
    const auto inputs = shardsOf(call, dim);
    const auto outputs = shardsOf(call, indexed.inResult(dim));
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      strategies.push_back({"sharded", {outputs[i]}, whole(call, {inputs[i]})});
    }
  }
  for (int dim = 0; dim < indexed.broadcast(); ++dim) {
    SingleDimStrategy strategy{"batch", {Shard{dim + indexed.insertedAt()}}, whole(call, {})};
    bool shards = false;
    for (const auto input : indexed.inputs()) {
      const int own = dim - (indexed.broadcast() - call.input(input).ndim());
      if (own < 0 || sizeAt(call.input(input), own) == 1) continue;
      strategy.inputs[input] = Shard{own};
      shards = true;
    }
    if (shards) strategies.push_back(std::move(strategy));
  }
  for (const auto op : {ReduceOp::Sum, ReduceOp::Avg, ReduceOp::Max, ReduceOp::Min}) {
    strategies.push_back({"partial", {Partial{op}}, whole(call, {Partial{op}})});
  }
  return strategies;
}

// Adds strategies for writing one value where a mask is true: each rank does so on its part.
void addFilling(const OpSchema& call, const Indexed& indexed,
                std::vector<SingleDimStrategy>& strategies) {
  const auto& values = call.inputs.back().meta.shape;
  const bool isOne = std::all_of(values.begin(), values.end(), [](auto size) { return size == 1; });
  if (!isOne || !indexed.isOneMask(call)) return;
  const std::size_t mask = indexed.inputs().front();
  for (int dim = 0; dim < call.input(0).ndim(); ++dim) {
    for (const auto& shard : shardsOf(call, dim)) {
      strategies.push_back({"sharded", {shard}, whole(call, {shard})});
      if (dim < call.input(mask).ndim()) strategies.back().inputs[mask] = shard;
    }
  }
}

// out = input, except out[index[i], k] = values[i, k], or added to it
std::vector<SingleDimStrategy> indexPut(const OpSchema& call) {
  const Indexed indexed(call);
  const std::size_t last = call.inputs.size() - 1;
  const auto& values = call.input(last);
  std::vector<SingleDimStrategy> strategies;
  addFilling(call, indexed, strategies);
  for (int dim = 0; dim < call.input(0).ndim() && !indexed.masks(); ++dim) {
    if (indexed.reads(dim)) continue;
    const int own = indexed.inResult(dim) - (indexed.resultDims() - values.ndim());
    const bool stretched = own < 0 || sizeAt(values, own) == 1;
    const auto inputs = shardsOf(call, dim);
    const auto sources = shardsOf(call, std::max(own, 0));
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      SingleDimStrategy strategy{"sharded", {inputs[i]}, whole(call, {inputs[i]})};
      if (!stretched) strategy.inputs[last] = sources[i];
      strategies.push_back(std::move(strategy));
    }
  }
  SingleDimStrategy partial{"partial", {Partial{}}, whole(call, {Partial{}})};
  partial.inputs[last] = Partial{};
  strategies.push_back(std::move(partial));
  return strategies;
}

// Places the mask, the second input, along what it broadcasts to.
void shardMask(const OpSchema& call, const Shape& stretched, const Placement& sharded,
               SingleDimStrategy& strategy) {
  strategy.inputs[1] = alongside(call.input(1).shape, stretched, *shardedDim(sharded), sharded);
}

// out[i, k] = input[index[i], k] where the mask is true, elsewhere a constant. Not for partial
// sums, because each partial value would have the constant.
std::vector<SingleDimStrategy> maskedIndex(const OpSchema& call) {
  auto strategies = index(call);
  std::erase_if(strategies,
                [](const auto& each) { return partialOp(each.outputs[0]) == ReduceOp::Sum; });
  for (auto& each : strategies) {
    const Placement& result = each.outputs[0];
    if (shardedDim(result)) shardMask(call, call.outputs[0].shape, result, each);
  }
  return strategies;
}

std::vector<TensorMeta> maskedIndexOutputs(const OpSchema& call) {
  return {inOrder(Indexed(call).resultShape(call), call.input(0).dtype)};
}

// out = input, except that where the mask is true values[i, k] is added to out[index[i], k]
std::vector<SingleDimStrategy> maskedIndexPut(const OpSchema& call) {
  auto strategies = indexPut(call);
  std::erase_if(strategies, [](const auto& each) { return isReplicate(each.inputs.back()); });
  for (auto& each : strategies) {
    const Placement values = each.inputs.back();
    if (shardedDim(values)) shardMask(call, call.inputs.back().meta.shape, values, each);
  }
  return strategies;
}

}  // namespace

std::vector<NamedRule> gatherRules() {
  const auto kept = [](auto strategies) {
    return Rule{.singleDimStrategies = strategies, .emptyShards = Rule::EmptyShards::Kept};
  };
  return {{"aten.gather", kept(gather)},
          {"aten.scatter.*", kept(scatter)},
          {"aten.scatter_add.*", kept(scatter)},
          {"aten.scatter_reduce.*", kept(scatter)},
          {"aten.index_select",
           {.singleDimStrategies = indexSelect,
            .emptyShards = Rule::EmptyShards::Kept,
            .outputs = indexSelectOutputs}},
          {"aten.index_fill.*",
           {.singleDimStrategies = indexFill,
            .emptyShards = Rule::EmptyShards::Kept,
            .outputs = likeFirst}},
          {"aten.index_copy.*", kept(indexFill)},
          {"aten.index_reduce.*", kept(indexFill)},
          {"aten.index_add.*", kept(indexAdd)},
          {"aten.index.Tensor", kept(index)},
          {"aten._unsafe_index.Tensor", kept(index)},
          {"aten._unsafe_index_put", kept(indexPut)},
          {"aten._unsafe_masked_index",
           {.singleDimStrategies = maskedIndex,
            .emptyShards = Rule::EmptyShards::Kept,
            .outputs = maskedIndexOutputs}},
          {"aten._unsafe_masked_index_put_accumulate",
           {.singleDimStrategies = maskedIndexPut,
            .emptyShards = Rule::EmptyShards::Kept,
            .outputs = likeFirst}},
          {"aten.put", kept(put)},
          {"aten.take",
           {.singleDimStrategies = take,
            .emptyShards = Rule::EmptyShards::Kept,
            .outputs = takeOutputs}},
          {"aten.index_put.*", kept(indexPut)},
          {"aten._index_put_impl.*", kept(indexPut)}};
}

}  // namespace shardlens
