#include "tests/ops/written_call.h"

#include <gtest/gtest.h>

namespace shardlens {
namespace {

std::string inverse(const Shape& shape, const std::string& x, std::vector<Arg> args = {}) {
  const Shape info(shape.begin(), shape.end() - 2);
  return chosen({"aten.linalg_inv_ex", {{shape, x}}, shape, std::move(args), {}, {info}});
}

TEST(BatchedRule, ShardsAStackOfMatricesButNotMatrices) {
  EXPECT_EQ(inverse({6, 4, 4}, "S(0)"), "stack: (S(0)) -> (S(0)) (S(0))");
  EXPECT_EQ(inverse({6, 2, 4, 4}, "S(1) S(0)"), "stack: (S(1), S(0)) -> (S(1), S(0)) (S(1), S(0))");
  EXPECT_EQ(inverse({6, 4, 4}, "S(1)"), "replicate: (R) -> (R) (R)");
  EXPECT_EQ(inverse({4, 4}, "S(0)"), "replicate: (R) -> (R) (R)");
  EXPECT_EQ(inverse({6, 4, 4}, "P(sum)"), "replicate: (R) -> (R) (R)");
}

// If it checked errors, a rank would report an index into its local part.
TEST(BatchedRule, OperatorsThatCheckTheirDataReplicateIt) {
  EXPECT_EQ(inverse({6, 4, 4}, "S(0)", {{"check_errors", true}}), "replicate: (R) -> (R) (R)");
  EXPECT_EQ(inverse({6, 4, 4}, "S(0)", {{"check_errors", false}}),
            "stack: (S(0)) -> (S(0)) (S(0))");
}

TEST(BatchedRule, UnrequestedResultsAreReplicated) {
  const auto svd = [](const Shape& u, const Shape& vh) {
    return chosen({"aten._linalg_svd", {{{6, 4, 3}, "S(0)"}}, u, {}, {}, {{6, 3}, vh}});
  };
  EXPECT_EQ(svd({6, 4, 3}, {6, 3, 3}), "stack: (S(0)) -> (S(0)) (S(0)) (S(0))");
  EXPECT_EQ(svd({0}, {0}), "stack: (S(0)) -> (R) (S(0)) (R)");
}

TEST(BatchedRule, StacksAreStretched) {
  const auto solved = [](const Shape& a, const std::string& placement, const Shape& b) {
    return chosen({"aten.linalg_solve_triangular", {{a, placement}, {b, "R"}}, {6, 4, 2}});
  };
  EXPECT_EQ(solved({6, 4, 4}, "S(0)", {4, 2}), "stack: (S(0)) (R) -> (S(0))");
  EXPECT_EQ(solved({6, 4, 4}, "S(0)", {1, 4, 2}), "stack: (S(0)) (R) -> (S(0))");
  EXPECT_EQ(solved({6, 4, 4}, "S(0)", {6, 4, 2}), "stack: (S(0)) (S(0)) -> (S(0))");
  EXPECT_EQ(solved({6, 4, 4}, "S(0)", {3, 4, 2}), "replicate: (R) (R) -> (R)");
}

TEST(BatchedRule, DimensionsInCapitalsAreSharded) {
  const auto distances = [](const std::string& a, const std::string& b) {
    return chosen({"aten._cdist_forward", {{{6, 4}, a}, {{8, 4}, b}}, {6, 8}});
  };
  EXPECT_EQ(distances("S(0)", "R"), "rows: (S(0)) (R) -> (S(0))");
  EXPECT_EQ(distances("R", "S(0)"), "rows: (R) (S(0)) -> (S(1))");
  EXPECT_EQ(distances("S(1)", "S(1)"), "replicate: (R) (R) -> (R)");
}

std::string solve(const Shape& a, const std::string& placement, const Shape& b) {
  const Shape rows(a.begin(), a.end() - 1), stack(a.begin(), a.end() - 2);
  return chosen({"aten._linalg_solve_ex",
                 {{a, placement}, {b, placement == "S(0)" && b.size() > 1 ? "S(0)" : "R"}},
                 b.size() == 1 ? rows : b,
                 {},
                 {},
                 {a, rows, stack}});
}

TEST(SolveRule, AcceptsVectors) {
  EXPECT_EQ(solve({6, 4, 4}, "S(0)", {6, 4, 2}),
            "stack: (S(0)) (S(0)) -> (S(0)) (S(0)) (S(0)) (S(0))");
  EXPECT_EQ(solve({6, 4, 4}, "S(0)", {6, 4}),
            "stack: (S(0)) (S(0)) -> (S(0)) (S(0)) (S(0)) (S(0))");
  EXPECT_EQ(solve({6, 4, 4}, "S(0)", {4}), "stack: (S(0)) (R) -> (S(0)) (S(0)) (S(0)) (S(0))");
}

// Half of the matrices would take b for three vectors, because b has the shape (3, 3).
TEST(SolveRule, ShardsNothingIfAPartWouldBeTakenForVectors) {
  EXPECT_EQ(solve({6, 3, 3}, "S(0)", {3, 3}), "replicate: (R) (R) -> (R) (R) (R) (R)");
}

TEST(BatchedRule, HasTheOutputsOfTheOperator) {
  const auto given = [](const std::string& name, std::vector<WrittenInput> inputs) {
    return findRule(name).rule->outputs(schemaOf({name, std::move(inputs)}));
  };
  EXPECT_EQ(given("aten.cholesky_solve", {{{3, 2}, "R"}, {{6, 3, 3}, "R"}}),
            (std::vector<TensorMeta>{{{6, 3, 2}, {6, 2, 1}, DType::Float32}}));
  EXPECT_EQ(given("aten._cdist_forward", {{{2, 5, 3}, "R"}, {{4, 3}, "R"}}),
            (std::vector<TensorMeta>{{{2, 5, 4}, {20, 4, 1}, DType::Float32}}));
  EXPECT_EQ(given("aten.geqrf", {{{2, 5, 3}, "R"}}).back(),
            (TensorMeta{{2, 3}, {3, 1}, DType::Float32}));
}

TEST(CrossRule, OnlyTheDimensionOfVectorsIsReplicated) {
  const auto cross = [](const std::string& x) {
    return chosen({"aten.linalg_cross",
                   {{{6, 3, 4}, x}, {{1, 3, 4}, "R"}},
                   {6, 3, 4},
                   {{"dim", std::int64_t{1}}}});
  };
  EXPECT_EQ(cross("S(0)"), "sharded: (S(0)) (R) -> (S(0))");
  EXPECT_EQ(cross("S(2)"), "sharded: (S(2)) (S(2)) -> (S(2))");
  EXPECT_EQ(cross("S(1)"), "replicate: (R) (R) -> (R)");
}

// A call of a damaged recording may have any number of tensors.
TEST(BatchedRule, CallsWithOtherNumbersOfTensorsAreNotSharded) {
  EXPECT_EQ(
      chosen({"aten.cholesky_inverse", {{{6, 4, 4}, "S(0)"}, {{6, 4, 4}, "S(0)"}}, {6, 4, 4}}),
      "replicate: (R) (R) -> (R)");
  EXPECT_EQ(chosen({"aten._linalg_solve_ex", {{{6, 4, 4}, "S(0)"}}, {6, 4, 4}}),
            "replicate: (R) -> (R)");
}

}  // namespace
}  // namespace shardlens
