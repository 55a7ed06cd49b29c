// Attention on GPUs: by the kernel that libtorch chooses where a rule fits, else composed of
// operators that have rules; for every dtype and mask.

#include "tests/tensor/gpu/fake_cuda.h"
#include "tests/tensor/ranks.h"

#include <ATen/ATen.h>
#include <ATen/record_function.h>

#include <algorithm>
#include <set>

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

// The names of the operators that ran while it lives.
class Called {
 public:
  Called() {
    handle_ = at::addThreadLocalCallback(
        at::RecordFunctionCallback([](const at::RecordFunction& function) {
          names().insert(function.name());
          return std::unique_ptr<at::ObserverContext>();
        }).scopes({at::RecordScope::FUNCTION}));
    names().clear();
  }
  ~Called() { at::removeCallback(handle_); }

  static bool has(const std::string& name) { return names().contains("aten::" + name); }

 private:
  static std::set<std::string>& names() {
    static std::set<std::string> names;
    return names;
  }
  at::CallbackHandle handle_;
};

// The kernel that the fake chooses, or "" where there is none.
std::string kernelFor(const AttentionCase& each) {
  if (each.type == at::kDouble || (each.causal && each.mask != Mask::None)) return "";
  const bool isFlash = each.type == at::kHalf && each.mask == Mask::None;
  const std::string name = each.type == at::kBFloat16 ? "cudnn" : isFlash ? "flash" : "efficient";
  return "_scaled_dot_product_" + name + "_attention";
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
    const Called called;
    const auto got =
        at::scaled_dot_product_attention(sharded[0], sharded[1], sharded[2], mask, 0, each.causal);
    const double near = each.type == at::kDouble ? 1e-12 : each.type == at::kFloat ? 1e-5 : 2e-2;
    EXPECT_TRUE(at::allclose(whole(got.detach()), expected, near, near));
    EXPECT_EQ(Called::has("_scaled_dot_product_attention_math"), kernelFor(each).empty());
    (expected * expected).sum().backward();
    (got * got).sum().backward();
    for (const char* pass : {"", "_backward"}) {
      const auto kernel = kernelFor(each);
      EXPECT_TRUE(kernel.empty() || Called::has(kernel + pass)) << kernel << pass;
    }
    for (std::size_t i = 0; i < plain.size(); ++i) {
      EXPECT_TRUE(at::allclose(whole(sharded[i].grad()), plain[i].grad(), near, near)) << i;
    }
  }
}

auto fourWithGpus() { return makeRuntime(*DeviceMesh::make({4}), fake_cuda::communicator(4)); }

// Ranks 1 to 3 have queries and keys that the kernels would count from 0.
TEST(AttentionOfGpus, IsComposedWhereSequencesAreDivided) {
  const auto runtime = fourWithGpus();
  const auto plain = numbered({2, 4, 8, 16}).div(97);
  const auto x = distribute(runtime, plain, placed({"S(2)"}));
  const Called called;
  const auto y = at::scaled_dot_product_attention(x, x, x, {}, 0, /*is_causal=*/true);
  EXPECT_TRUE(Called::has("_scaled_dot_product_attention_math"));
  const auto expected = at::scaled_dot_product_attention(plain, plain, plain, {}, 0, true);
  EXPECT_TRUE(at::allclose(whole(y), expected, 1e-5, 1e-5));
}

TEST(AttentionOfGpus, WithDropoutDrawsOnTheProcessor) {
  const auto plain = numbered({2, 4, 8, 16}).div(97);
  const auto dropped = [&](const std::shared_ptr<Runtime>& runtime) {
    const auto x = distribute(runtime, plain, placed({"S(1)"}));
    at::manual_seed(7);
    return whole(at::scaled_dot_product_attention(x, x, x, {}, 0.5));
  };
  const auto simulated = makeSimulatedRuntime(*DeviceMesh::make({4}));
  EXPECT_TRUE(at::allclose(dropped(fourWithGpus()), dropped(simulated), 1e-5, 1e-5));
}

// The gradient of a mask is that of the kernel's bias. libtorch aligns the rows of the whole mask;
// those of a mask that is redistributed are aligned by each rank.
TEST(AttentionOfGpus, GivesTheGradientOfAMask) {
  const auto runtime = makeRuntime(*DeviceMesh::make({2}), fake_cuda::communicator(2));
  const auto plain = numbered({2, 4, 7, 8}).div(97);
  const auto plainMask = numbered({4, 7, 7}, 5).div(5).requires_grad_();
  const auto expected = std::get<0>(
      at::_scaled_dot_product_attention_math(plain, plain, plain, plainMask.unsqueeze(0)));
  (expected * expected).sum().backward();
  const auto x = distribute(runtime, plain, placed({"S(1)"}));
  for (const char* placement : {"S(0)", "S(1)", "R"}) {
    SCOPED_TRACE(placement);
    const auto mask = distribute(runtime, plainMask.detach(), placed({placement}));
    mask.requires_grad_();
    const Called called;
    const auto got = at::scaled_dot_product_attention(x, x, x, mask.unsqueeze(0));
    EXPECT_TRUE(Called::has("_scaled_dot_product_efficient_attention"));
    EXPECT_TRUE(at::allclose(whole(got.detach()), expected, 1e-5, 1e-5));
    (got * got).sum().backward();
    EXPECT_TRUE(at::allclose(whole(mask.grad()), plainMask.grad(), 1e-5, 1e-5));
  }
}

// Three query heads share each of two key heads. A kernel may return another order of dimensions
// than the whole result states; both views must fit.
TEST(AttentionOfGpus, HasKeysThatHeadsShareAndResultsThatCanBeViewed) {
  const auto runtime = makeRuntime(*DeviceMesh::make({2}), fake_cuda::communicator(2));
  for (const auto type : {at::kHalf, at::kBFloat16}) {
    const auto query = numbered({2, 6, 5, 8}).div(97).to(type),
               key = numbered({2, 2, 5, 8}, 11).div(11).to(type);
    const auto expected =
        at::scaled_dot_product_attention(query, key, key, {}, 0, false, {}, /*enable_gqa=*/true);
    for (const char* placement : {"S(1)", "S(0)", "R"}) {
      SCOPED_TRACE(placement);
      const auto q = distribute(runtime, query, placed({placement})),
                 k = distribute(runtime, key, placed({placement}));
      const auto got = at::scaled_dot_product_attention(q, k, k, {}, 0, false, {}, true);
      const auto near = [](const at::Tensor& a, const at::Tensor& b) {
        return at::allclose(whole(a), b, 2e-2, 2e-2);
      };
      EXPECT_TRUE(near(got.view({2, 30, 8}), expected.reshape({2, 30, 8})));
      EXPECT_TRUE(near(got.transpose(1, 2).reshape({2, 5, 48}),
                       expected.transpose(1, 2).reshape({2, 5, 48})));
    }
  }
}

TEST(AttentionOfGpus, RefusesDropoutAndTensorsThatDoNotFit) {
  const auto runtime = fourWithGpus();
  const auto x = distribute(runtime, at::ones({2, 4, 8, 16}, at::kHalf), placed({"S(1)"}));
  const auto y = distribute(runtime, at::ones({2, 4, 9, 16}, at::kHalf), placed({"S(1)"}));
  const auto mask = distribute(runtime, at::ones({8, 8}, at::kHalf), placed({"R"}));
  EXPECT_EQ(
      refusalOf([&] { at::_scaled_dot_product_flash_attention(x, x, x, 0.5); }),
      "aten._scaled_dot_product_flash_attention: dropout_p: got 0.500000, expected 0, because a "
      "GPU draws other random numbers than simulated ranks; scaled_dot_product_attention draws "
      "them on the processor");
  EXPECT_EQ(
      refusalOf([&] { at::_scaled_dot_product_flash_attention(x, x, x, 0, false, true); }),
      "aten._scaled_dot_product_flash_attention: return_debug_mask: got true, expected false");
  EXPECT_EQ(refusalOf([&] { at::_scaled_dot_product_cudnn_attention(x, x, y, {}, true); }),
            "aten._scaled_dot_product_cudnn_attention: value: got shape [2, 4, 9, 16], expected "
            "[2, 4, 8, 16]");
  EXPECT_EQ(refusalOf([&] { at::_scaled_dot_product_efficient_attention(x, x, x, mask, true); }),
            "aten._scaled_dot_product_efficient_attention: attn_bias: got shape [8, 8], expected "
            "[2, 4, 8, 8]");
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
