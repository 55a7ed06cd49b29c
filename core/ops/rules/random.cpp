#include "core/ops/rules/rules.h"

namespace shardlens {
namespace {

std::vector<TensorMeta> bernoulliOutputs(const OpSchema& call) {
  auto meta = call.input(0);
  meta.strides = contiguousStrides(meta.shape);
  return {meta};
}

// out[i] = x[i] mask[i] / (1 - p). Of an empty tensor, libtorch gives a mask of the same dtype.
std::vector<TensorMeta> dropoutOutputs(const OpSchema& call) {
  const auto& x = call.input(0);
  return {x, elementCount(x.shape) == 0 ? x : inOrder(x.shape, DType::Bool)};
}

// Returns num_samples indices per row. Which ones depends on the whole row.
std::vector<TensorMeta> multinomialOutputs(const OpSchema& call) {
  Shape shape = call.input(0).shape;
  shape.back() = std::get<std::int64_t>(call.arg("num_samples"));
  return {inOrder(shape, DType::Int64)};
}

}  // namespace

std::vector<NamedRule> randomRules() {
  std::vector<NamedRule> rules;
  const auto add = [&](std::string_view name, Rule rule) {
    rule.emptyShards = Rule::EmptyShards::Kept;
    rules.push_back({std::string(name), rule});
  };
  for (const auto name : {"aten.cauchy_", "aten.exponential_", "aten.random_", "aten.random_.from",
                          "aten.random_.to"}) {
    add(name, {.singleDimStrategies = overwritten, .outputs = likeFirst});
  }
  for (const auto name : {"aten.bernoulli_.float", "aten.geometric_", "aten.log_normal_",
                          "aten.normal_", "aten.uniform_"}) {
    add(name, {.singleDimStrategies = overwritten, .freeNumbers = true, .outputs = likeFirst});
  }
  for (const auto name :
       {"aten.bernoulli.p", "aten.rand_like", "aten.rand_like.generator", "aten.randint_like",
        "aten.randint_like.generator", "aten.randint_like.low_dtype",
        "aten.randint_like.low_generator_dtype", "aten.randn_like", "aten.randn_like.generator"}) {
    add(name, {.singleDimStrategies = newContents});
  }
  const auto elementwise = elementwiseRule().singleDimStrategies;
  add("aten.bernoulli", {.singleDimStrategies = elementwise, .outputs = bernoulliOutputs});
  add("aten.bernoulli_.Tensor", {.singleDimStrategies = elementwise, .outputs = likeFirst});
  for (const auto name :
       {"aten.normal.Tensor_Tensor", "aten.normal.Tensor_float", "aten.normal.float_Tensor"}) {
    add(name, {.singleDimStrategies = elementwise});
  }
  add("aten.multinomial", {.singleDimStrategies = onlyWhole, .outputs = multinomialOutputs});
  add("aten.native_dropout",
      {.singleDimStrategies = elementwise, .freeNumbers = true, .outputs = dropoutOutputs});
  return rules;
}

}  // namespace shardlens
