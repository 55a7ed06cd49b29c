#include "core/ops/rules/rules.h"

#include <algorithm>
#include <array>

namespace shardlens {
namespace {

// Maps an operand's dimensions to the shared ones that all three operands have after expansion.
class Operand {
 public:
  Operand(const OpSchema& call, std::size_t input, std::string_view lacking)
      : meta_(call.input(input)), lacking_(call.intList(lacking)) {}

  int sharedDims() const { return meta_.ndim() + static_cast<int>(lacking_.size()); }
  bool lacks(int shared) const {
    return std::find(lacking_.begin(), lacking_.end(), shared) != lacking_.end();
  }
  int own(int shared) const {
    return shared - static_cast<int>(std::count_if(lacking_.begin(), lacking_.end(),
                                                   [&](auto dim) { return dim < shared; }));
  }
  std::int64_t size(int shared) const {
    return lacks(shared) ? 1 : meta_.shape[static_cast<std::size_t>(own(shared))];
  }
  // Returns the operand's shard, or R if it is broadcast along that dimension.
  Placement sharded(int shared, std::int64_t size, const Placement& shard) const {
    return this->size(shared) == size && !lacks(shared) ? alongDim(shard, own(shared))
                                                        : Placement(Replicate{});
  }

 private:
  const TensorMeta& meta_;
  std::vector<std::int64_t> lacking_;
};

std::array<Operand, 3> operandsOf(const OpSchema& call) {
  return {Operand(call, 0, "expand1"), Operand(call, 1, "expand2"), Operand(call, 2, "expand3")};
}

std::int64_t sharedSize(const std::array<Operand, 3>& operands, int dim) {
  std::int64_t size = 1;
  for (const auto& operand : operands) {
    if (operand.size(dim) != 1) size = operand.size(dim);
  }
  return size;
}

bool isSummed(const OpSchema& call, int dim) {
  const auto summed = call.intList("sumdim");
  return std::find(summed.begin(), summed.end(), dim) != summed.end();
}

// y[k] = sum over r of a[k, r] b[k, r] c[k, r], where each operand has some of the dimensions. If a
// summed dimension is sharded, each rank has a partial sum. The product is linear in each
// factor.
std::vector<SingleDimStrategy> trilinearProduct(const OpSchema& call) {
  const auto operands = operandsOf(call);
  std::vector<SingleDimStrategy> strategies;
  int out = 0;
  for (int dim = 0; dim < operands[0].sharedDims(); ++dim) {
    const bool summed = isSummed(call, dim);
    const auto size = sharedSize(operands, dim);
    for (const auto& shard : shardsOf(call, 0)) {
      SingleDimStrategy strategy{summed ? "partial result" : "sharded", {}, {}};
      strategy.outputs = {summed ? Placement(Partial{}) : alongDim(shard, out)};
      for (const auto& operand : operands) {
        strategy.inputs.push_back(operand.sharded(dim, size, shard));
      }
      const bool shards = std::any_of(strategy.inputs.begin(), strategy.inputs.end(),
                                      [](const Placement& input) { return !isReplicate(input); });
      if (shards) strategies.push_back(std::move(strategy));
    }
    out += summed ? 0 : 1;
  }
  for (std::size_t factor = 0; factor < operands.size(); ++factor) {
    SingleDimStrategy strategy{"partial", {Partial{}}, Placements(operands.size(), Replicate{})};
    strategy.inputs[factor] = Partial{};
    strategies.push_back(std::move(strategy));
  }
  return strategies;
}

std::vector<TensorMeta> productOutputs(const OpSchema& call) {
  const auto operands = operandsOf(call);
  Shape shape;
  for (int dim = 0; dim < operands[0].sharedDims(); ++dim) {
    if (!isSummed(call, dim)) shape.push_back(sharedSize(operands, dim));
  }
  return {inOrder(shape, call.input(0).dtype)};
}

}  // namespace

std::vector<NamedRule> trilinearRules() {
  return {
      {"aten._trilinear", {.singleDimStrategies = trilinearProduct, .outputs = productOutputs}}};
}

}  // namespace shardlens
