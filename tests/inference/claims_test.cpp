#include "core/trace/records/plain_record.h"
#include "tests/inference/plain_run.h"

#include <gtest/gtest.h>

namespace shardlens {
namespace {

// Records that a function states a placement along tp, with the form of the axis, or with none.
void state(PlainRun& run, TensorId tensor, const std::string& by, const std::string& text,
           const std::string& form = "") {
  const auto forms = form.empty() ? "" : ",\"forms\":{\"tp\":" + form + "}";
  run.note(by.c_str(), tensor,
           (R"({"role":"claim","by":")" + by + R"(","claim":{"tp":")" + text + "\"}" + forms + "}")
               .c_str());
}

void output(PlainRun& run, const char* name, TensorId tensor) {
  run.note(name, tensor, R"({"role":"output"})");
}

// A mesh that no plain collective uses is an axis if claims state its form.
TEST(Claims, StateAxes) {
  PlainRun run;
  const auto x = run.tensor("x", {3, 4});
  state(run, x, "to_local", "S(-1)", "[0,1]");
  output(run, "x", x);
  const auto found = inferPlacements(run.journal);
  ASSERT_EQ(found.axes.size(), 1U);
  EXPECT_EQ(found.axes.front(), (RankAxis{"tp", {{0, 1}}}));
  const auto& placed = found.tensors.front().placements.front();
  EXPECT_EQ(placementText(placed), "S(1)");
  EXPECT_EQ(evidenceText(run.journal, found.axes.front(), placed), "to_local");
}

TEST(Claims, OfDamagedFormsStateNoAxes) {
  for (const char* form : {"[]", "[0]", "[1,2]", "[0,0]", "[0,2]", "[0,1,2]", "[0,-1]",
                           "[0,2147483647]", "[\"0\",1]", "{}", "7"}) {
    PlainRun run;
    const auto x = run.tensor("x", {3, 4});
    state(run, x, "to_local", "R", form);
    output(run, "x", x);
    EXPECT_TRUE(inferPlacements(run.journal).axes.empty()) << form;
  }
}

TEST(Claims, OfADamagedDetailStateNothing) {
  const std::string whole = R"({"role":"claim","claim":{"tp":"R"}})";
  for (const std::string claim : {R"("R")", "7", "null", "[]"}) {
    const std::string damaged = R"({"role":"claim","claim":)" + claim + "}";
    for (const bool isFirst : {true, false}) {
      const auto joined = joinedClaimDetail({{0, isFirst ? damaged : whole},  //
                                             {1, isFirst ? whole : damaged}});
      const auto stated = readPlainClaim(joined).axes;
      ASSERT_EQ(stated.size(), 1U) << joined;
      EXPECT_EQ(toText(stated.front()), "R") << joined;
    }
  }
}

// The groups of an axis may have another name than the dimension of the mesh.
TEST(Claims, ConcernTheAxisOfTheirForm) {
  PlainRun run;
  const auto x = run.tensor("x", {3, 4});
  state(run, x, "to_local", "S(1)", "[0,1]");
  output(run, "x", x);
  const auto found = inferPlacements(run.journal, {RankAxis{"mine", {{0, 1}}}});
  ASSERT_EQ(found.axes.size(), 1U);
  EXPECT_EQ(placementText(found.tensors.front().placements.front()), "S(1)");
}

// A tensor that no recorded operator made is assumed to be whole or a shard, unless it is stated.
TEST(Claims, ReplaceTheAssumptionOfALeaf) {
  PlainRun run;
  const auto x = run.tensor("x", {3, 4});
  run.allReduce(run.tensor("y", {3, 4}));
  state(run, x, "to_local", "P(sum)");
  output(run, "x", x);
  EXPECT_EQ(run.placement("x"), "P(sum)");
  EXPECT_TRUE(inferPlacements(run.journal).findings.empty());
}

TEST(Claims, OfTwoPlacementsContradictEachOther) {
  PlainRun run;
  const auto x = run.tensor("x", {3, 4});
  run.allReduce(run.tensor("y", {3, 4}));
  state(run, x, "to_local", "S(0)");
  run.note("assert_placement", x, R"json({"role":"claim","claim":{"tp":"S(1)"}})json");
  output(run, "x", x);
  EXPECT_EQ(run.placement("x"), "!");
  const auto found = inferPlacements(run.journal).findings;
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].claim, "to_local states S(0)");
  EXPECT_EQ(found[1].claim, "assert_placement states S(1)");
}

// V states no placement, and I states one more fact than R.
TEST(Claims, StateTypesOfSpmdTypes) {
  PlainRun run;
  const auto x = run.tensor("x", {3, 4}), w = run.tensor("w", {4, 2});
  run.allReduce(x);
  state(run, w, "assert_type", "V");
  output(run, "w", w);
  state(run, x, "assert_type", "I");
  output(run, "x", x);
  EXPECT_EQ(run.placement("w"), "V");
  EXPECT_EQ(run.placement("x"), "I");
  const auto found = inferPlacements(run.journal);
  EXPECT_TRUE(found.findings.empty());
  EXPECT_FALSE(found.tensors[0].placements[0].placement);
  EXPECT_EQ(found.tensors[1].placements[0].placement, Placement(Replicate{}));
}

// What follows from operators is stated of a tensor that varies.
TEST(Claims, OfValuesThatVaryAllowPlacements) {
  PlainRun run;
  const auto x = run.tensor("x", {3, 4}), w = run.tensor("w", {4, 2});
  run.allReduce(x);
  state(run, w, "assert_placement", "S(1)");
  const auto y =
      run.call("aten.mm", {x, w}, {3, 2}, R"({"args":{"self":{"tensor":0},"mat2":{"tensor":1}}})");
  state(run, y, "assert_type", "V");
  output(run, "y", y);
  EXPECT_EQ(run.placement("y"), "S(1)");
}

}  // namespace
}  // namespace shardlens
