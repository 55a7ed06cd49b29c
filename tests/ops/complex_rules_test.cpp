#include "tests/ops/written_call.h"

#include <gtest/gtest.h>

namespace shardlens {
namespace {

std::string conjugated(const std::string& x) {
  return chosen({"aten._conj", {{{4, 6}, x, DType::Complex64}}, {4, 6}});
}

TEST(ComplexRules, ConjugatesArePlacedAsTheirInputs) {
  EXPECT_EQ(conjugated("S(1)"), "sharded: (S(1)) -> (S(1))");
  EXPECT_EQ(conjugated("P(sum)"), "partial: (P(sum)) -> (P(sum))");
  EXPECT_EQ(conjugated("P(avg)"), "partial: (P(avg)) -> (P(avg))");
}

TEST(ComplexRules, RealAndImaginaryPartsAreADimensionThatIsNotSharded) {
  const auto real = [](const std::string& x) {
    return chosen({"aten.view_as_real", {{{4, 6}, x, DType::Complex64}}, {4, 6, 2}});
  };
  EXPECT_EQ(real("S(1)"), "sharded: (S(1)) -> (S(1))");
  EXPECT_EQ(real("P(sum)"), "partial: (P(sum)) -> (P(sum))");
  const auto complex = [](const std::string& x) {
    return chosen({"aten.view_as_complex", {{{4, 6, 2}, x}}, {4, 6}});
  };
  EXPECT_EQ(complex("S(1)"), "sharded: (S(1)) -> (S(1))");
  EXPECT_EQ(complex("P(sum)"), "partial: (P(sum)) -> (P(sum))");
  EXPECT_EQ(complex("S(2)").find("S(2)"), std::string::npos);
  // Complex numbers have no maximum.
  EXPECT_EQ(complex("P(max)").find("P(max)"), std::string::npos);
}

TEST(ComplexRules, TwoPartialsMakeOne) {
  const auto made = [](const std::string& re, const std::string& im) {
    return chosen({"aten.complex", {{{4, 6}, re}, {{4, 6}, im}}, {4, 6}});
  };
  EXPECT_EQ(made("S(0)", "S(0)"), "sharded: (S(0)) (S(0)) -> (S(0))");
  EXPECT_EQ(made("P(sum)", "P(sum)"), "partial: (P(sum)) (P(sum)) -> (P(sum))");
  EXPECT_EQ(made("P(sum)", "R"), "partial: (P(sum)) (P(sum)) -> (P(sum))");
}

TEST(ComplexRules, ProductsAreNotReduced) {
  const auto product = [](DType dtype) {
    return chosen(
        {"aten.prod.dim_int", {{{4, 6}, "S(0)", dtype}}, {6}, {{"dim", std::int64_t{0}}}});
  };
  EXPECT_EQ(product(DType::Float32), "partial result: (S(0)) -> (P(product))");
  EXPECT_EQ(product(DType::Complex64), "replicate: (R) -> (R)");
}

TEST(FftRules, TransformedDimensionsAreReplicated) {
  const auto transformed = [](const std::string& x, std::vector<std::int64_t> dims) {
    return chosen({"aten._fft_c2c",
                   {{{64, 64, 512}, x, DType::Complex64}},
                   {64, 64, 512},
                   {{"dim", std::move(dims)}}});
  };
  EXPECT_EQ(transformed("S(0)", {2}), "sharded: (S(0)) -> (S(0))");
  EXPECT_EQ(transformed("S(0)", {-1}), "sharded: (S(0)) -> (S(0))");
  EXPECT_EQ(transformed("S(2)", {2}), "sharded: (S(0)) -> (S(0))");
  EXPECT_EQ(transformed("S(1)", {0, 1, 2}), "replicate: (R) -> (R)");
  EXPECT_EQ(transformed("P(sum)", {0, 1, 2}), "partial: (P(sum)) -> (P(sum))");
  EXPECT_EQ(transformed("P(max)", {0, 1, 2}).find("P(max)"), std::string::npos);
}

}  // namespace
}  // namespace shardlens
