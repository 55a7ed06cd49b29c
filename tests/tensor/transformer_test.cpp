// A transformer block in training: a row-sharded table, attention sharded by heads, an MLP sharded
// by columns and then by rows. Losses, gradients and updated weights equal those of plain tensors.

#include "tests/tensor/ranks.h"

#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>

#include <functional>
#include <map>

namespace shardlens {
namespace {

constexpr std::int64_t kWords = 11, kWidth = 16, kHeads = 4, kBatch = 2, kLength = 6;

using Weights = std::map<std::string, at::Tensor>;
// Placements over the tensor-parallel ranks. Over the data-parallel ranks, weights are replicated.
using TransformerLayout = std::map<std::string, std::string>;

struct Model {
  Weights weights;
  TransformerLayout layout;
  // Redistributes a pending lookup as the next layer needs it.
  std::function<at::Tensor(const at::Tensor&)> gathered = [](const at::Tensor& x) { return x; };

  const at::Tensor& operator[](const std::string& name) const { return weights.at(name); }
};

at::Tensor small(at::IntArrayRef shape, int modulus) {
  return numbered(shape, modulus).sub(modulus / 2).div(4 * modulus);
}

// A table and the two layers of an MLP, with weights as addmm() takes them.
Model mlp() {
  return {{{"table", small({kWords, kWidth}, 13)},
           {"up", small({kWidth, 4 * kWidth}, 17)},
           {"upBias", small({4 * kWidth}, 5)},
           {"down", small({4 * kWidth, kWidth}, 19)},
           {"downBias", small({kWidth}, 7)}},
          {{"table", "S(0)"}, {"up", "S(1)"}, {"upBias", "S(0)"}, {"down", "S(0)"}}};
}

at::Tensor mlpLoss(const Model& model, const at::Tensor& ids) {
  const auto x = model.gathered(at::embedding(model["table"], ids));
  const auto hidden = at::gelu(at::addmm(model["upBias"], x, model["up"]));
  const auto y = at::addmm(model["downBias"], hidden, model["down"]);
  return (y * y).sum();
}

// A transformer block with weights as linear() takes them.
Model block() {
  Model model;
  model.weights["table"] = small({kWords, kWidth}, 13);
  model.layout["table"] = "S(0)";
  for (const std::string name : {"query", "key", "value", "projection"}) {
    model.weights[name] = small({kWidth, kWidth}, 11 + 2 * static_cast<int>(name.size()));
    model.layout[name] = name == "projection" ? "S(1)" : "S(0)";
  }
  for (const std::string name : {"before", "between"}) {
    model.weights[name] = small({kWidth}, 7).add(1);
    model.weights[name + "Bias"] = small({kWidth}, 5);
  }
  model.weights["up"] = small({4 * kWidth, kWidth}, 17);
  model.weights["upBias"] = small({4 * kWidth}, 5);
  model.weights["down"] = small({kWidth, 4 * kWidth}, 19);
  model.weights["downBias"] = small({kWidth}, 7);
  for (const std::string name : {"up", "upBias"}) model.layout[name] = "S(0)";
  model.layout["down"] = "S(1)";
  return model;
}

at::Tensor blockLoss(const Model& model, const at::Tensor& ids) {
  const auto normalized = [&](const at::Tensor& x, const std::string& name) {
    return at::layer_norm(x, {kWidth}, model[name], model[name + "Bias"]);
  };
  auto x = model.gathered(at::embedding(model["table"], ids));
  const auto h = normalized(x, "before");
  const auto heads = [&](const std::string& name) {
    return at::linear(h, model[name]).view({kBatch, kLength, kHeads, -1}).transpose(1, 2);
  };
  const auto attended = at::scaled_dot_product_attention(heads("query"), heads("key"),
                                                         heads("value"), {}, 0, /*is_causal=*/true);
  const auto joined = attended.transpose(1, 2).reshape({kBatch, kLength, kWidth});
  x = x + at::linear(joined, model["projection"]);
  const auto hidden = at::gelu(at::linear(normalized(x, "between"), model["up"], model["upBias"]));
  const auto y = x + at::linear(hidden, model["down"], model["downBias"]);
  return (y * y).sum();
}

using ModelLoss = at::Tensor (*)(const Model&, const at::Tensor&);
using Gradients = std::map<std::string, std::vector<at::Tensor>>;  // one per step

// Shards the model on a mesh of tensor-parallel ranks, or of data-parallel by tensor-parallel
// ranks.
Model distributed(const Model& model, const std::shared_ptr<Runtime>& runtime) {
  const bool isData = runtime->mesh()->ndim() == 2;
  Model sharded;
  for (const auto& [name, weight] : model.weights) {
    const auto at = model.layout.find(name);
    std::vector<std::string> texts(isData ? 1 : 0, "R");
    texts.push_back(at == model.layout.end() ? "R" : at->second);
    sharded.weights[name] = distribute(runtime, weight, placed(texts));
  }
  sharded.gathered = [isData](const at::Tensor& x) {
    return redistribute(x, isData ? placed({"S(0)", "R"}) : placed({"R"}));
  };
  return sharded;
}

using List = std::vector<at::Tensor>;

// Trains two steps with a foreach optimizer: AdamW without averages of the gradients. Returns the
// losses, and appends the gradients of each step to `gradients`.
List train(const Model& model, ModelLoss loss, const at::Tensor& ids, Gradients& gradients) {
  List parameters, squares, losses;
  for (const auto& [name, weight] : model.weights) parameters.push_back(weight.requires_grad_());
  for (const auto& parameter : parameters) squares.push_back(at::zeros_like(parameter));
  for (int step = 0; step < 2; ++step) {
    losses.push_back(loss(model, ids));
    losses.back().backward();
    const at::NoGradGuard noGrad;
    List slopes;
    for (const auto& parameter : parameters) slopes.push_back(parameter.grad());
    for (const auto& [name, weight] : model.weights) gradients[name].push_back(weight.grad());
    at::_foreach_mul_(parameters, 0.99);
    at::_foreach_mul_(squares, 0.9);
    at::_foreach_addcmul_(squares, slopes, slopes, 0.1);
    const auto scale = at::_foreach_sqrt(squares);
    at::_foreach_add_(scale, 0.1);
    at::_foreach_addcdiv_(parameters, slopes, scale, -0.01);
    for (const auto& parameter : parameters) parameter.mutable_grad() = at::Tensor();
  }
  return losses;
}

void expectSameTraining(Model (*make)(), ModelLoss loss, const at::Tensor& ids) {
  const auto near = [](const at::Tensor& sharded, const at::Tensor& expected) {
    return at::allclose(whole(sharded.detach()), expected, 1e-4, 1e-5);
  };
  at::set_num_threads(1);
  const auto plain = make();
  Gradients expected;
  const auto losses = train(plain, loss, ids, expected);
  for (const auto& mesh : {std::vector<int>{4}, {2, 2}}) {
    SCOPED_TRACE(mesh.size());
    const auto runtime = ranks(mesh);
    const auto sharded = distributed(make(), runtime);
    Gradients got;
    const auto batch = mesh.size() == 2 ? placed({"S(0)", "R"}) : placed({"R"});
    const auto shardedLosses = train(sharded, loss, distribute(runtime, ids, batch), got);
    for (std::size_t step = 0; step < losses.size(); ++step) {
      EXPECT_TRUE(near(shardedLosses[step], losses[step])) << "loss of step " << step;
      for (const auto& [name, gradients] : got) {
        EXPECT_TRUE(near(gradients[step], expected[name][step])) << name << " at step " << step;
      }
    }
    for (const auto& [name, weight] : sharded.weights) {
      EXPECT_TRUE(near(weight, plain[name].detach())) << name;
    }
  }
}

// DTensor fails in the backward of the gathered lookup: "Redistribution from one partial type".
TEST(Transformer, AMaskedLookupBeforeAnMlpTrains) {
  expectSameTraining(mlp, mlpLoss, ids({0, 10, 4, 4, 2, 7, 3, 9}));
}

TEST(Transformer, ABlockTrains) {
  expectSameTraining(block, blockLoss,
                     ids({0, 10, 4, 4, 2, 7, 3, 9, 1, 1, 5, 8}).view({kBatch, kLength}));
}

// libtorch has no kernel for such tensors and composes the attention from other operators.
TEST(Transformer, CausalAttentionOfOddTensorsIsThePlainOne) {
  const auto part = [](at::IntArrayRef shape) { return numbered(shape, 31).div(31); };
  const auto query = part({2, 4, 5, 4}), key = part({2, 4, 6, 4});
  const auto turned = part({2, 4, 4, 6}).transpose(2, 3);  // its last stride is not 1
  for (const auto& value : {part({2, 4, 6, 3}), turned}) {
    for (const auto* cut : {"R", "S(0)", "S(1)"}) {
      const auto runtime = ranks({2});
      const auto laid = [&](const at::Tensor& plain) {
        return distribute(runtime, plain, placed({cut}));
      };
      const auto y =
          at::scaled_dot_product_attention(laid(query), laid(key), laid(value), {}, 0, true);
      EXPECT_TRUE(at::allclose(
          whole(y), at::scaled_dot_product_attention(query, key, value, {}, 0, true), 1e-5, 1e-6))
          << cut;
    }
  }
}

}  // namespace
}  // namespace shardlens
