#include "core/ops/rules/rules.h"

namespace shardlens {
namespace {

std::vector<SingleDimStrategy> elementwise(const OpSchema& call) {
  return shardAlike(call, call.outputs.front().shape);
}

// Returns true if combining partial values before their reduction is exact: none is converted to
// another dtype, and for integers the op is a sum. Replicated inputs may have another dtype, like
// scalars.
bool partialsCombine(const OpSchema& call, ReduceOp op, const std::vector<Placement>& inputs) {
  const DType dtype = call.outputs.front().dtype;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (isPartial(inputs[i]) && call.inputs[i].meta.dtype != dtype) return false;
  }
  return !isWhole(dtype) || (op == ReduceOp::Sum && dtype != DType::Bool);
}

// An elementwise operator's strategies: on shards, and on partials where this is exact.
class PartialStrategies {
 public:
  explicit PartialStrategies(const OpSchema& call) : call_(call), rows_(elementwise(call)) {}

  void add(ReduceOp output, std::vector<Placement> inputs) {
    if (inputs.size() != call_.inputs.size() || !partialsCombine(call_, output, inputs)) return;
    rows_.push_back({"partial", Placements(call_.outputs.size(), Partial{output}), inputs});
  }
  std::vector<SingleDimStrategy> take() { return std::move(rows_); }

 private:
  const OpSchema& call_;
  std::vector<SingleDimStrategy> rows_;
};

constexpr ReduceOp kLinear[] = {ReduceOp::Sum, ReduceOp::Avg};
constexpr ReduceOp kExtremes[] = {ReduceOp::Max, ReduceOp::Min};

// a + b: partial sums add up. Averages, and extremes on the left, also take a replicated operand or
// a scalar: adding the same to all values commutes with the reduction.
std::vector<SingleDimStrategy> additive(const OpSchema& call) {
  PartialStrategies strategies(call);
  for (const auto op : kLinear) strategies.add(op, {Partial{op}, Partial{op}});
  for (const auto op : {ReduceOp::Avg, ReduceOp::Max, ReduceOp::Min}) {
    strategies.add(op, {Partial{op}});
    strategies.add(op, {Partial{op}, Replicate{}});
  }
  strategies.add(ReduceOp::Avg, {Replicate{}, Partial{ReduceOp::Avg}});
  return strategies.take();
}

// a * b is linear in each factor: one may be partial, the other replicated.
std::vector<SingleDimStrategy> multiplicative(const OpSchema& call) {
  PartialStrategies strategies(call);
  for (const auto op : kLinear) {
    strategies.add(op, {Partial{op}});
    strategies.add(op, {Partial{op}, Replicate{}});
    strategies.add(op, {Replicate{}, Partial{op}});
  }
  return strategies.take();
}

// a / b is linear in the numerator only.
std::vector<SingleDimStrategy> quotient(const OpSchema& call) {
  PartialStrategies strategies(call);
  for (const auto op : kLinear) {
    strategies.add(op, {Partial{op}});
    strategies.add(op, {Partial{op}, Replicate{}});
  }
  return strategies.take();
}

// dy * f(a, b, ...) is linear in the gradient only.
std::vector<SingleDimStrategy> gradient(const OpSchema& call) {
  PartialStrategies strategies(call);
  for (const auto op : kLinear) {
    std::vector<Placement> inputs(call.inputs.size(), Replicate{});
    inputs.front() = Partial{op};
    strategies.add(op, std::move(inputs));
  }
  return strategies.take();
}

// f(max(a, b)) = max(f(a), f(b)).
std::vector<SingleDimStrategy> rising(const OpSchema& call) {
  PartialStrategies strategies(call);
  for (const auto op : kExtremes) strategies.add(op, {Partial{op}});
  return strategies.take();
}

// f(max(a, b)) = min(f(a), f(b)).
void addFalling(PartialStrategies& strategies) {
  strategies.add(ReduceOp::Min, {Partial{ReduceOp::Max}});
  strategies.add(ReduceOp::Max, {Partial{ReduceOp::Min}});
}

std::vector<SingleDimStrategy> falling(const OpSchema& call) {
  PartialStrategies strategies(call);
  addFalling(strategies);
  return strategies.take();
}

// -(a + b) = -a - b.
std::vector<SingleDimStrategy> negation(const OpSchema& call) {
  PartialStrategies strategies(call);
  for (const auto op : kLinear) strategies.add(op, {Partial{op}});
  addFalling(strategies);
  return strategies.take();
}

// f is increasing in both arguments: one may be a partial extreme, the other replicated.
void addRising(PartialStrategies& strategies) {
  for (const auto op : kExtremes) {
    strategies.add(op, {Partial{op}, Replicate{}});
    strategies.add(op, {Replicate{}, Partial{op}});
  }
}

std::vector<SingleDimStrategy> risingInBoth(const OpSchema& call) {
  PartialStrategies strategies(call);
  addRising(strategies);
  return strategies.take();
}

// max(max(a, b), max(c, d)) = max(max(a, c), max(b, d)).
template <ReduceOp op>
std::vector<SingleDimStrategy> extreme(const OpSchema& call) {
  PartialStrategies strategies(call);
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

// Increasing on all numbers. Functions with a smaller domain are excluded: partial values may be
// outside.
constexpr std::string_view kRising[] = {"asinh",   "atan", "ceil",  "deg2rad",        "erf",
                                        "exp",     "exp2", "expm1", "floor",          "hardshrink",
                                        "rad2deg", "relu", "round", "round.decimals", "sgn",
                                        "sigmoid", "sign", "sinh",  "tanh",           "trunc"};

// Pointwise, although some of their overloads lack the tag.
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

// The first input is the gradient.
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
                                  // Not the overloads that round.
                                  {"aten.div.Tensor", pointwise(quotient)},
                                  {"aten.div.Scalar", pointwise(quotient)},
                                  {"aten.neg.*", pointwise(negation)},
                                  {"aten.erfc.*", pointwise(falling)},
                                  {"aten.special_erfcx.*", pointwise(falling)},
                                  // Not the overload with a scalar first argument.
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
  // Refused if it would draw random numbers: ranks with the same data would draw different ones.
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
