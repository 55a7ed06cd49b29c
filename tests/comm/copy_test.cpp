#include "core/memory/copy.h"

#include "core/base/check.h"
#include "tests/comm/backends.h"

#include <ATen/ATen.h>

#include <limits>

namespace shardlens {
namespace {

at::Tensor counted(at::IntArrayRef sizes) {
  std::int64_t count = 1;
  for (const auto size : sizes) count *= size;
  return at::arange(count, at::kInt).view(sizes);
}

void expectCopied(const at::Tensor& from, const at::Tensor& to) {
  const auto want = from.clone();
  copyInto(to, from);
  expectSame(to, want, "copied");
}

TEST(CopyInto, TakesAnyLayout) {
  const auto whole = counted({6, 8, 10});
  expectCopied(whole.narrow(2, 3, 4), at::zeros({6, 8, 4}, at::kInt));
  expectCopied(whole.narrow(1, 2, 3).narrow(2, 1, 1), at::zeros({6, 3, 1}, at::kInt));
  expectCopied(counted({6, 3, 10}), at::zeros({6, 8, 10}, at::kInt).narrow(1, 5, 3));
  expectCopied(whole.permute({2, 0, 1}), at::zeros({10, 6, 8}, at::kInt));
  expectCopied(counted({10, 6, 8}), at::zeros({6, 8, 10}, at::kInt).permute({2, 0, 1}));
  expectCopied(counted({1, 8, 1}).expand({6, 8, 10}), at::zeros({6, 8, 10}, at::kInt));
  expectCopied(whole.slice(2, 1, 10, 3), at::zeros({6, 8, 3}, at::kInt));
  expectCopied(whole[0][0][7], at::zeros({}, at::kInt));
  expectCopied(whole.narrow(0, 0, 0), at::zeros({0, 8, 10}, at::kInt));
}

TEST(CopyInto, TakesRowsOfAnyLength) {
  for (const std::int64_t row : {1, 2, 3, 4, 8, 16, 32, 33, 64, 100}) {
    auto around = at::full({50, row + 3}, -1, at::kByte);
    expectCopied(counted({50, row}).to(at::kByte), around.narrow(1, 2, row));
    EXPECT_TRUE(around.narrow(1, 0, 2).eq(255).all().item<bool>()) << row;
    EXPECT_TRUE(around.narrow(1, row + 2, 1).eq(255).all().item<bool>()) << row;
  }
}

TEST(CopyInto, TakesManyDimensions) {
  const auto whole = counted({2, 2, 2, 2, 2, 2, 2, 2, 4});
  expectCopied(whole.permute({7, 0, 6, 1, 5, 2, 4, 3, 8}).narrow(8, 1, 2),
               at::zeros({2, 2, 2, 2, 2, 2, 2, 2, 2}, at::kInt));
}

// The tensors are large enough for several threads, and their sizes do not divide evenly.
TEST(CopyInto, IsWholeWhenItIsShared) {
  expectCopied(counted({1000003}), at::zeros({1000003}, at::kInt));
  expectCopied(counted({1001, 1003}).narrow(1, 5, 777), at::zeros({1001, 777}, at::kInt));
  expectCopied(counted({1001, 777}), at::zeros({1001, 1003}, at::kInt).narrow(1, 5, 777));
}

TEST(CopyInto, ReadsTheElementsThatTorchReads) {
  const auto number = at::complex(at::ones({3}), at::arange(3, at::kFloat));
  expectCopied(number.conj(), at::zeros({3}, at::kComplexFloat));
  auto same = counted({5});
  expectCopied(same, same);
}

TEST(CopyInto, KeepsShapeAndDType) {
  EXPECT_THROW(copyInto(at::zeros({2, 3}), at::zeros({6})), CheckFailed);
  EXPECT_THROW(copyInto(at::zeros({6}, at::kInt), at::zeros({6})), CheckFailed);
}

TEST(ReduceInto, NeedsPartials) {
  EXPECT_THROW(reduceInto(at::zeros({1}), Buffers(), {}), CheckFailed);
}

TEST(ReduceInto, MayWriteIntoAnyOfItsPartials) {
  for (std::size_t place = 0; place < 4; ++place) {
    for (const auto op : {ReduceOp::Sum, ReduceOp::Avg}) {
      Buffers terms;
      for (int i = 0; i < 4; ++i) terms.push_back(at::full({5000}, 4 << i, at::kFloat));
      reduceInto(terms[place], terms, {op});
      expectSame(terms[place], at::full({5000}, op == ReduceOp::Sum ? 60.0F : 15.0F), "in place");
    }
  }
}

TEST(ReduceInto, PropagatesNaNs) {
  const auto nan = at::full({1}, std::numeric_limits<float>::quiet_NaN());
  for (const auto op : {ReduceOp::Min, ReduceOp::Max}) {
    for (const auto& terms : {Buffers{nan, at::ones({1})}, Buffers{at::ones({1}), nan}}) {
      const auto into = at::zeros({1});
      reduceInto(into, terms, {op});
      EXPECT_TRUE(into.isnan().all().item<bool>());
    }
  }
}

TEST(ReduceInto, WrapsSumsOfIntegersButNotTheirAverages) {
  const auto most = at::full({3}, 120, at::kChar);
  const auto into = at::zeros({3}, at::kChar);
  reduceInto(into, {most, most}, {});
  expectSame(into, at::full({3}, -16, at::kChar), "sum");
  reduceInto(into, {most, most}, {ReduceOp::Avg});
  expectSame(into, most, "average");
  reduceInto(into, {most, most}, {ReduceOp::PremulSum, 0.5});
  expectSame(into, most, "halves");
}

TEST(ReduceInto, MultipliesEachTermByTheFactor) {
  const auto large = at::full({3}, 40000, at::kHalf);  // twice that is infinite
  const auto into = at::zeros({3}, at::kHalf);
  reduceInto(into, {large, large}, {ReduceOp::PremulSum, 0.5});
  expectSame(into, large, "halves");
}

TEST(ReduceInto, TakesMemoryInCrumbs) {
  Buffers terms;
  for (int i = 0; i < 3; ++i) terms.push_back(counted({700, 3, 2}).permute({2, 1, 0}));
  auto around = at::full({2, 3, 1400}, -1, at::kInt);
  reduceInto(around.slice(2, 0, 1400, 2), terms, {});
  expectSame(around.slice(2, 0, 1400, 2), terms[0] * 3, "every other element");
  expectSame(around.slice(2, 1, 1400, 2), at::full({2, 3, 700}, -1, at::kInt), "the others");
}

TEST(ReduceInto, RefusesBitsOfFractions) {
  EXPECT_THROW(reduceInto(at::zeros({1}), {at::ones({1}), at::ones({1})}, {ReduceOp::Bor}),
               std::exception);
}

}  // namespace
}  // namespace shardlens
