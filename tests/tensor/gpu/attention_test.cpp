// Attention on GPUs is composed of operators that have rules, for every dtype and mask.

#include "tests/tensor/gpu/fake_cuda.h"
#include "tests/tensor/ranks.h"

#include <ATen/ops/_scaled_dot_product_attention_math.h>

namespace shardlens {
namespace {

enum class Mask { None, Added, Boolean };

struct AttentionCase {
  at::ScalarType type;
  bool causal;
  Mask mask;
};

at::Tensor numbersOf(const AttentionCase& each, at::IntArrayRef shape, int modulus) {
  return numbered(shape, modulus).sub(modulus / 2).div(modulus).to(each.type);
}

// The first query attends to one key, so that -inf counts.
std::optional<at::Tensor> maskOf(const AttentionCase& each) {
  if (each.mask == Mask::None) return std::nullopt;
  if (each.mask == Mask::Added) return numbersOf(each, {8, 8}, 5);
  auto mask = numbered({8, 8}, 3).to(at::kBool);
  mask[0].fill_(false);
  mask[0][0] = true;
  mask.diagonal().fill_(true);
  return mask;
}

// libtorch composes attention with either a mask or is_causal; this has both.
at::Tensor plainAttention(const AttentionCase& each, const std::vector<at::Tensor>& qkv) {
  auto mask = maskOf(each);
  if (mask && mask->scalar_type() == at::kBool) {
    mask = at::zeros({8, 8}, each.type).masked_fill(mask->logical_not(), -INFINITY);
  }
  if (each.causal) {
    const auto later = at::full({8, 8}, -INFINITY, each.type).triu(1);
    mask = mask ? *mask + later : later;
  }
  return std::get<0>(at::_scaled_dot_product_attention_math(qkv[0], qkv[1], qkv[2], mask));
}

class AttentionOnGpus : public testing::TestWithParam<AttentionCase> {};

TEST_P(AttentionOnGpus, IsThatOfPlainTensorsForwardAndBackward) {
  const auto& each = GetParam();
  const auto runtime = makeRuntime(*DeviceMesh::make({4}), fake_cuda::communicator(4));
  for (const char* placement : {"S(1)", "S(0)", "R"}) {
    SCOPED_TRACE(placement);
    std::vector<at::Tensor> plain, sharded;
    for (const int modulus : {7, 11, 13}) {
      plain.push_back(numbersOf(each, {2, 4, 8, 16}, modulus));
      sharded.push_back(distribute(runtime, plain.back(), placed({placement})));
      plain.back().requires_grad_();
      sharded.back().requires_grad_();
    }
    std::optional<at::Tensor> mask;
    if (const auto whole = maskOf(each)) mask = distribute(runtime, *whole, placed({"R"}));
    const auto expected = plainAttention(each, plain);
    const auto got =
        at::scaled_dot_product_attention(sharded[0], sharded[1], sharded[2], mask, 0, each.causal);
    const double near = each.type == at::kDouble ? 1e-12 : each.type == at::kFloat ? 1e-5 : 2e-2;
    EXPECT_TRUE(at::allclose(whole(got.detach()), expected, near, near));
    (expected * expected).sum().backward();
    (got * got).sum().backward();
    for (std::size_t i = 0; i < plain.size(); ++i) {
      EXPECT_TRUE(at::allclose(whole(sharded[i].grad()), plain[i].grad(), near, near)) << i;
    }
  }
}

std::vector<AttentionCase> attentionCases() {
  std::vector<AttentionCase> cases;
  for (const auto type : {at::kDouble, at::kFloat, at::kHalf, at::kBFloat16}) {
    for (const bool causal : {false, true}) {
      for (const auto mask : {Mask::None, Mask::Added, Mask::Boolean}) {
        cases.push_back({type, causal, mask});
      }
    }
  }
  return cases;
}

std::string nameOfAttention(const testing::TestParamInfo<AttentionCase>& info) {
  const auto& [type, causal, mask] = info.param;
  return std::string(c10::toString(type)) + (causal ? "Causal" : "") +
         (mask == Mask::None    ? ""
          : mask == Mask::Added ? "AddedMask"
                                : "BooleanMask");
}

INSTANTIATE_TEST_SUITE_P(All, AttentionOnGpus, testing::ValuesIn(attentionCases()),
                         nameOfAttention);

}  // namespace
}  // namespace shardlens
