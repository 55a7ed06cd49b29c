// Unchanged libtorch modules on sharded tensors, forward and backward.

#include "tests/tensor/ranks.h"

#include <torch/nn.h>

namespace shardlens {
namespace {

struct ModuleLayout {
  std::vector<int> mesh;
  std::vector<std::string> weight;
  std::vector<std::string> ids;
};

const std::vector<ModuleLayout> kModuleLayouts = {{{4}, {"S(0)"}, {"R"}},
                                                  {{4}, {"S(1)"}, {"R"}},
                                                  {{3}, {"R"}, {"S(0)"}},
                                                  {{2, 2}, {"R", "S(0)"}, {"S(0)", "R"}},
                                                  {{2, 2}, {"S(0)", "S(0)"}, {"R", "R"}},
                                                  {{2, 3}, {"S(1)", "S(0)"}, {"R", "R"}}};

TEST(Modules, AnEmbeddingModelTrainsAsItDoesOnPlainTensors) {
  const auto table = numbered({11, 6}, 13).sub(6);
  const auto words = ids({0, 10, 4, 4, 2, 7, 3});
  for (const auto masking : {Masking::Fused, Masking::Stepwise}) {
    for (const auto& layout : kModuleLayouts) {
      SCOPED_TRACE(toText(placed(layout.weight)) + " " + toText(placed(layout.ids)));
      torch::nn::Sequential plain(
          torch::nn::Embedding(torch::nn::EmbeddingOptions(11, 6).padding_idx(4)),
          torch::nn::ReLU());
      torch::nn::Sequential sharded(
          torch::nn::Embedding(torch::nn::EmbeddingOptions(11, 6).padding_idx(4)),
          torch::nn::ReLU());
      const auto runtime = ranks(layout.mesh, masking);
      plain[0]->as<torch::nn::Embedding>()->weight = table.clone().requires_grad_();
      sharded[0]->as<torch::nn::Embedding>()->weight =
          distribute(runtime, table, placed(layout.weight)).requires_grad_();

      const auto expected = plain->forward(words);
      const auto got = sharded->forward(distribute(runtime, words, placed(layout.ids)));
      EXPECT_TRUE(at::equal(whole(got.detach()), expected));

      (expected * expected).sum().backward();
      (got * got).sum().backward();
      EXPECT_TRUE(at::equal(whole(sharded[0]->as<torch::nn::Embedding>()->weight.grad()),
                            plain[0]->as<torch::nn::Embedding>()->weight.grad()));
    }
  }
}

}  // namespace
}  // namespace shardlens
