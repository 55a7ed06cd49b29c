#include "core/ops/rules/rules.h"

namespace shardlens {
namespace {

// A product in index notation: a letter for each dimension of the factors and of the result.
struct Product {
  std::string_view left;
  std::string_view right;
  std::string_view result;
};

Placement placedAt(std::string_view operand, char letter, const Placement& shard) {
  const auto at = operand.find(letter);
  return at == std::string_view::npos ? Replicate{} : alongDim(shard, static_cast<int>(at));
}

// Returns the letters of the added tensor: it broadcasts to the result's last dimensions. ' ' is
// broadcast.
std::string addedLetters(const TensorMeta& added, std::string_view result) {
  std::string letters(result.substr(result.size() - added.shape.size()));
  for (std::size_t dim = 0; dim < letters.size(); ++dim) {
    if (added.shape[dim] == 1) letters[dim] = ' ';
  }
  return letters;
}

// result = added + left x right. Shards all operands on a letter that they have. If the letter is
// summed, the result is a partial sum. The product is linear in each factor.
std::vector<SingleDimStrategy> rowsOf(const OpSchema& call, const Product& product) {
  const bool adds = call.inputs.size() == 3;
  const auto added = adds ? addedLetters(call.input(0), product.result) : std::string();
  std::vector<SingleDimStrategy> strategies;
  const auto add = [&](const char* name, Placement result, Placement addend, Placements factors) {
    if (adds) factors.insert(factors.begin(), std::move(addend));
    strategies.push_back({name, {std::move(result)}, std::move(factors)});
  };
  // b: batch, k: summed, m: rows of the left factor, n: columns of the right one.
  for (const char letter : std::string_view("bkmn")) {
    const bool stays = product.result.find(letter) != std::string_view::npos;
    if (!stays && product.left.find(letter) == std::string_view::npos) continue;
    for (const auto& shard : shardsOf(call, 0)) {
      const auto along = [&](std::string_view operand) { return placedAt(operand, letter, shard); };
      add(stays ? "sharded" : "partial result", stays ? along(product.result) : Partial{},
          stays ? along(added) : Partial{}, {along(product.left), along(product.right)});
    }
  }
  for (const auto op : {ReduceOp::Sum, ReduceOp::Avg}) {
    if (op == ReduceOp::Avg && isWhole(call.outputs.front().dtype)) continue;
    const Partial partial{op};
    add("partial", partial, partial, {partial, Replicate{}});
    add("partial", partial, partial, {Replicate{}, partial});
  }
  return strategies;
}

// A function per product, because rules hold plain function pointers.
template <const Product& product>
std::vector<SingleDimStrategy> strategies(const OpSchema& call) {
  return rowsOf(call, product);
}

constexpr Product kDot{"k", "k", ""};           // r = sum of a[k] b[k]
constexpr Product kMv{"mk", "k", "m"};          // r[m] = sum of a[m,k] b[k]
constexpr Product kMm{"mk", "kn", "mn"};        // r[m,n] = sum of a[m,k] b[k,n]
constexpr Product kBmm{"bmk", "bkn", "bmn"};    // r[b,m,n] = sum of a[b,m,k] b[b,k,n]
constexpr Product kAddbmm{"bmk", "bkn", "mn"};  // r[m,n] = sum of a[b,m,k] b[b,k,n]
constexpr Product kOuter{"m", "n", "mn"};       // r[m,n] = a[m] b[n]

std::vector<TensorMeta> dotOutputs(const OpSchema& call) { return {{{}, {}, call.input(0).dtype}}; }

std::vector<TensorMeta> addbmmOutputs(const OpSchema& call) {
  if (call.input(1).ndim() != 3 || call.input(2).ndim() != 3) return likeFirst(call);
  const Shape shape{call.input(1).shape[1], call.input(2).shape[2]};
  return {inOrder(shape, call.input(0).dtype)};
}

}  // namespace

std::vector<NamedRule> matmulRules() {
  const auto linear = [](auto strategies) { return Rule{.singleDimStrategies = strategies}; };
  // Written tensors must not move, even if they are empty on some ranks.
  const auto inPlace = [](auto strategies) {
    return Rule{.singleDimStrategies = strategies, .emptyShards = Rule::EmptyShards::Kept};
  };
  const Rule dot{.singleDimStrategies = strategies<kDot>, .outputs = dotOutputs};
  Rule addbmm = linear(strategies<kAddbmm>);
  addbmm.outputs = addbmmOutputs;
  return {{"aten.addbmm", addbmm},
          {"aten.addbmm_", inPlace(strategies<kAddbmm>)},
          {"aten.addmm", linear(strategies<kMm>)},
          {"aten.addmm_", inPlace(strategies<kMm>)},
          {"aten.addmv", linear(strategies<kMv>)},
          {"aten.addmv_", inPlace(strategies<kMv>)},
          {"aten.addr", linear(strategies<kOuter>)},
          {"aten.addr_", inPlace(strategies<kOuter>)},
          {"aten.baddbmm", linear(strategies<kBmm>)},
          {"aten.baddbmm_", inPlace(strategies<kBmm>)},
          {"aten.bmm", linear(strategies<kBmm>)},
          {"aten.dot", dot},
          {"aten.mm", linear(strategies<kMm>)},
          {"aten.mv", linear(strategies<kMv>)},
          {"aten.vdot", dot}};
}

}  // namespace shardlens
