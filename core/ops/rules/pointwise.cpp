#include "core/ops/rules/rules.h"

namespace shardlens {
namespace {

std::vector<SingleDimStrategy> elementwise(const OpSchema& call) {
  return cutAlike(call, call.outputs.front().shape);
}

// Terms may be combined before they are reduced only where that is exact: without a change of
// their dtype, and other than by adding only among fractions. What is whole may have another one,
// as numbers do.
bool termsCombine(const OpSchema& call, ReduceOp op, const std::vector<Placement>& inputs) {
  const DType dtype = call.outputs.front().dtype;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (isPartial(inputs[i]) && call.inputs[i].meta.dtype != dtype) return false;
  }
  return !isWhole(dtype) || (op == ReduceOp::Sum && dtype != DType::Bool);
}

// An elementwise operator's strategies on shards, and on partial terms where these are exact.
class TermStrategies {
 public:
  explicit TermStrategies(const OpSchema& call) : call_(call), rows_(elementwise(call)) {}

  void add(ReduceOp output, std::vector<Placement> inputs) {
    if (inputs.size() != call_.inputs.size() || !termsCombine(call_, output, inputs)) return;
    rows_.push_back({"partial", Placements(call_.outputs.size(), Partial{output}), inputs});
  }
  std::vector<SingleDimStrategy> take() { return std::move(rows_); }

 private:
  const OpSchema& call_;
  std::vector<SingleDimStrategy> rows_;
};

constexpr ReduceOp kLinear[] = {ReduceOp::Sum, ReduceOp::Avg};
constexpr ReduceOp kExtremes[] = {ReduceOp::Max, ReduceOp::Min};

// a + b: sums of terms are the terms' sums; an average also takes a whole on one side, or a number,
// and the larger of two stays it when the same is added to both.
std::vector<SingleDimStrategy> additive(const OpSchema& call) {
  TermStrategies strategies(call);
  for (const auto op : kLinear) strategies.add(op, {Partial{op}, Partial{op}});
  for (const auto op : {ReduceOp::Avg, ReduceOp::Max, ReduceOp::Min}) {
    strategies.add(op, {Partial{op}});
    strategies.add(op, {Partial{op}, Replicate{}});
  }
  strategies.add(ReduceOp::Avg, {Replicate{}, Partial{ReduceOp::Avg}});
  return strategies.take();
}

// a * b is linear in each factor: one may be a sum of terms, the other whole.
std::vector<SingleDimStrategy> multiplicative(const OpSchema& call) {
  TermStrategies strategies(call);
  for (const auto op : kLinear) {
    strategies.add(op, {Partial{op}});
    strategies.add(op, {Partial{op}, Replicate{}});
    strategies.add(op, {Replicate{}, Partial{op}});
  }
  return strategies.take();
}

// a / b is linear in the numerator alone.
std::vector<SingleDimStrategy> quotient(const OpSchema& call) {
  TermStrategies strategies(call);
  for (const auto op : kLinear) {
    strategies.add(op, {Partial{op}});
    strategies.add(op, {Partial{op}, Replicate{}});
  }
  return strategies.take();
}

// dy * f(a, b, ...) is linear in the gradient alone.
std::vector<SingleDimStrategy> gradient(const OpSchema& call) {
  TermStrategies strategies(call);
  for (const auto op : kLinear) {
    std::vector<Placement> inputs(call.inputs.size(), Replicate{});
    inputs.front() = Partial{op};
    strategies.add(op, std::move(inputs));
  }
  return strategies.take();
}

// f(max(a, b)) = max(f(a), f(b)).
std::vector<SingleDimStrategy> rising(const OpSchema& call) {
  TermStrategies strategies(call);
  for (const auto op : kExtremes) strategies.add(op, {Partial{op}});
  return strategies.take();
}

// f(max(a, b)) = min(f(a), f(b)).
void addFalling(TermStrategies& strategies) {
  strategies.add(ReduceOp::Min, {Partial{ReduceOp::Max}});
  strategies.add(ReduceOp::Max, {Partial{ReduceOp::Min}});
}

std::vector<SingleDimStrategy> falling(const OpSchema& call) {
  TermStrategies strategies(call);
  addFalling(strategies);
  return strategies.take();
}

// -(a + b) = -a - b.
std::vector<SingleDimStrategy> negation(const OpSchema& call) {
  TermStrategies strategies(call);
  for (const auto op : kLinear) strategies.add(op, {Partial{op}});
  addFalling(strategies);
  return strategies.take();
}

// f rises with each of its two arguments: one may be an extreme, the other whole.
void addRising(TermStrategies& strategies) {
  for (const auto op : kExtremes) {
    strategies.add(op, {Partial{op}, Replicate{}});
    strategies.add(op, {Replicate{}, Partial{op}});
  }
}

std::vector<SingleDimStrategy> risingInBoth(const OpSchema& call) {
  TermStrategies strategies(call);
  addRising(strategies);
  return strategies.take();
}

// max(max(a, b), max(c, d)) = max(max(a, c), max(b, d)).
template <ReduceOp op>
std::vector<SingleDimStrategy> extreme(const OpSchema& call) {
  TermStrategies strategies(call);
  addRising(strategies);
  strategies.add(op, {Partial{op}, Partial{op}});
  return strategies.take();
}

constexpr Rule pointwise(std::vector<SingleDimStrategy> (*strategies)(const OpSchema&)) {
  return {.family = "pointwise",
          .singleDimStrategies = strategies,
          .emptyShards = Rule::EmptyShards::Kept,
          .elementwise = true};
}

// Of all numbers: those that rise only where they are defined would be asked elsewhere by terms.
constexpr std::string_view kRising[] = {"asinh",   "atan", "ceil",  "deg2rad",        "erf",
                                        "exp",     "exp2", "expm1", "floor",          "hardshrink",
                                        "rad2deg", "relu", "round", "round.decimals", "sgn",
                                        "sigmoid", "sign", "sinh",  "tanh",           "trunc"};

// Pointwise all the same, though some of their overloads are not tagged so.
constexpr std::string_view kUntagged[] = {"__irshift__",
                                          "_prelu_kernel",
                                          "_prelu_kernel_backward",
                                          "abs",
                                          "copysign",
                                          "eq",
                                          "float_power",
                                          "floor_divide",
                                          "ge",
                                          "gt",
                                          "hardswish",
                                          "le",
                                          "log_sigmoid_forward",
                                          "lt",
                                          "masked_fill",
                                          "ne",
                                          "nan_to_num",
                                          "polygamma",
                                          "rsub",
                                          "where",
                                          "xlogy"};

// The gradient comes first.
constexpr std::string_view kGradients[] = {"binary_cross_entropy_backward",
                                           "elu_backward",
                                           "gelu_backward",
                                           "hardshrink_backward",
                                           "hardsigmoid_backward",
                                           "hardswish_backward",
                                           "hardtanh_backward",
                                           "huber_loss_backward",
                                           "leaky_relu_backward",
                                           "log_sigmoid_backward",
                                           "logit_backward",
                                           "mish_backward",
                                           "mse_loss_backward",
                                           "rrelu_with_noise_backward",
                                           "sigmoid_backward",
                                           "silu_backward",
                                           "smooth_l1_loss_backward",
                                           "soft_margin_loss_backward",
                                           "softplus_backward",
                                           "softshrink_backward",
                                           "tanh_backward",
                                           "threshold_backward"};

}  // namespace

const Rule& elementwiseRule() {
  static constexpr Rule kRule = pointwise(elementwise);
  return kRule;
}

std::vector<NamedRule> pointwiseRules() {
  std::vector<NamedRule> rules = {{"aten.add.*", pointwise(additive)},
                                  {"aten.sub.*", pointwise(additive)},
                                  {"aten.mul.*", pointwise(multiplicative)},
                                  // Not those that round.
                                  {"aten.div.Tensor", pointwise(quotient)},
                                  {"aten.div.Scalar", pointwise(quotient)},
                                  {"aten.neg.*", pointwise(negation)},
                                  {"aten.erfc.*", pointwise(falling)},
                                  {"aten.special_erfcx.*", pointwise(falling)},
                                  // Not of a number and a tensor.
                                  {"aten.special_xlog1py", pointwise(quotient)},
                                  {"aten.special_xlog1py.other_scalar", pointwise(quotient)},
                                  {"aten.logaddexp.*", pointwise(risingInBoth)},
                                  {"aten.logaddexp2.*", pointwise(risingInBoth)}};
  for (const auto* name : {"maximum", "fmax", "clamp_min"}) {
    rules.push_back({"aten." + std::string(name) + ".*", pointwise(extreme<ReduceOp::Max>)});
  }
  for (const auto* name : {"minimum", "fmin", "clamp_max"}) {
    rules.push_back({"aten." + std::string(name) + ".*", pointwise(extreme<ReduceOp::Min>)});
  }
  rules.push_back({"aten.special_modified_bessel_i1.*", pointwise(rising)});
  for (const auto name : kRising) {
    rules.push_back({"aten." + std::string(name) + ".*", pointwise(rising)});
  }
  // Where it draws it is refused: ranks that hold the same would draw apart.
  rules.push_back({"aten.rrelu_with_noise", pointwise(elementwise)});
  for (const auto name : kGradients) {
    rules.push_back({"aten." + std::string(name) + ".*", pointwise(gradient)});
  }
  for (const auto name : kUntagged) {
    rules.push_back({"aten." + std::string(name) + ".*", pointwise(elementwise)});
  }
  return rules;
}

}  // namespace shardlens
