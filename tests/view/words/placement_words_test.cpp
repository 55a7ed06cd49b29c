#include "core/view/words/placement_words.h"

#include "core/trace/recorder/event_makers.h"
#include "core/view/words/event_words.h"
#include "core/view/words/names.h"
#include "tests/trace/named_event.h"

#include <gtest/gtest.h>

#include <array>

namespace shardlens::view {
namespace {

struct Written {
  const char* mesh;
  std::vector<const char*> placements;
  const char* dtensor;
  const char* axes;
  const char* jax;  // of a matrix
};

// Placements of every kind, alone and next to another one.
const std::array kWritten{
    Written{"4:tp", {"R"}, "R", "tp:R", "P(None, None)"},
    Written{"4:tp", {"S(0)"}, "S(0)", "tp:S(0)", "P('tp', None)"},
    Written{"4:tp", {"S(1)"}, "S(1)", "tp:S(1)", "P(None, 'tp')"},
    Written{"4:tp", {"SS(0, 2)"}, "SS(0, 2)", "tp:SS(0, 2)", "P(strided('tp', 2), None)"},
    Written{"4:tp", {"P(sum)"}, "P(sum)", "tp:P(sum)", "P(None, None, unreduced={'tp'})"},
    Written{"4:tp", {"P(avg)"}, "P(avg)", "tp:P(avg)", "P(None, None, unreduced={'tp': avg})"},
    Written{"4:tp", {"P(max)"}, "P(max)", "tp:P(max)", "P(None, None, unreduced={'tp': max})"},
    Written{"4:tp",
            {"P(premul_sum, 0.5)"},
            "P(premul_sum, 0.5)",
            "tp:P(premul_sum, 0.5)",
            "P(None, None, unreduced={'tp': P(premul_sum, 0.5)})"},
    Written{"4:tp",
            {"NormP(2)"},
            "NormP(2)",
            "tp:NormP(2)",
            "P(None, None, unreduced={'tp': NormP(2)})"},
    Written{"4:tp",
            {"MaskP(sum, [10, 3], 0)"},
            "MaskP(sum, [10, 3], 0)",
            "tp:MaskP(sum, [10, 3], 0)",
            "P(None, None, unreduced={'tp': MaskP(sum, [10, 3], 0)})"},
    Written{"2x4:dp,tp", {"S(0)", "R"}, "S(0), R", "dp:S(0) tp:R", "P('dp', None)"},
    Written{"2x4:dp,tp", {"S(0)", "S(1)"}, "S(0), S(1)", "dp:S(0) tp:S(1)", "P('dp', 'tp')"},
    Written{
        "2x4:dp,tp", {"S(0)", "S(0)"}, "S(0), S(0)", "dp:S(0) tp:S(0)", "P(('dp', 'tp'), None)"},
    Written{"2x4:dp,tp",
            {"SS(0, 4)", "S(0)"},
            "SS(0, 4), S(0)",
            "dp:SS(0, 4) tp:S(0)",
            "P(('tp', 'dp'), None)"},
    Written{"2x4:dp,tp",
            {"SS(0, 3)", "S(0)"},
            "SS(0, 3), S(0)",
            "dp:SS(0, 3) tp:S(0)",
            "P((strided('dp', 3), 'tp'), None)"},
    Written{"2x4:dp,tp",
            {"P(sum)", "P(sum)"},
            "P(sum), P(sum)",
            "dp:P(sum) tp:P(sum)",
            "P(None, None, unreduced={'dp', 'tp'})"},
    Written{"2x4:dp,tp",
            {"P(sum)", "MaskP(sum, [10, 3], 0)"},
            "P(sum), MaskP(sum, [10, 3], 0)",
            "dp:P(sum) tp:MaskP(sum, [10, 3], 0)",
            "P(None, None, unreduced={'dp': sum, 'tp': MaskP(sum, [10, 3], 0)})"},
};

Placements placementsOf(const Written& written) {
  Placements placements;
  for (const char* text : written.placements) placements.push_back(parsePlacement(text).value());
  return placements;
}

TEST(PlacementWords, HaveEachKindInEachNotation) {
  for (const Written& written : kWritten) {
    const auto mesh = parseMesh(written.mesh).value();
    const auto in = [&](Notation notation) {
      return placementsText(placementsOf(written), mesh, 2, notation);
    };
    EXPECT_EQ(in(Notation::DTensor), written.dtensor);
    EXPECT_EQ(in(Notation::NamedAxes), written.axes);
    EXPECT_EQ(in(Notation::PartitionSpec), written.jax);
  }
}

TEST(PlacementWords, OfAPartitionSpecEndWithTheLastDimensionThatIsKnown) {
  const auto mesh = parseMesh("2x4:dp,tp").value();
  const auto jax = [&](const Placements& placements, Dimensions dimensions) {
    return placementsText(placements, mesh, dimensions, Notation::PartitionSpec);
  };
  EXPECT_EQ(jax({Replicate{}, Replicate{}}, std::nullopt), "P()");
  EXPECT_EQ(jax({Replicate{}, Replicate{}}, 0), "P()");
  EXPECT_EQ(jax({Shard{1}, Replicate{}}, std::nullopt), "P(None, 'dp')");
  EXPECT_EQ(jax({Shard{1}, Replicate{}}, 3), "P(None, 'dp', None)");
}

TEST(PlacementWords, OfAnotherNumberOfAxesStayDTensors) {
  const auto mesh = parseMesh("2x4:dp,tp").value();
  EXPECT_EQ(placementsText({Shard{0}}, mesh, 2, Notation::NamedAxes), "S(0)");
  EXPECT_EQ(placementsText({Shard{0}}, mesh, 2, Notation::PartitionSpec), "S(0)");
}

TEST(PlacementWords, HaveNamesThatAreRead) {
  for (const auto each : {Notation::DTensor, Notation::NamedAxes, Notation::PartitionSpec}) {
    EXPECT_EQ(parseNotation(notationName(each)), each);
  }
  EXPECT_EQ(parseNotation("JAX").error().message,
            "notation: got JAX, expected dtensor, axes or jax");
}

// Renders texts of a recording in a notation.
class Recorded : public testing::TestWithParam<const char*> {
 protected:
  Recorded() {
    recorder_.addSink(journal_);
    recorder_.meta("mesh", "2x4:dp,tp");
  }

  std::string in(Notation notation, const Route& route) {
    return PlacementWords(journal_, notation).of(route);
  }
  std::string in(Notation notation, const LookupValue& value) {
    return PlacementWords(journal_, notation).inKey(value);
  }
  Recorder recorder_;
  Journal journal_;
};

TEST_F(Recorded, RoutesHaveTheirPlacementsRewritten) {
  const Route change = parseRoute("(S(0), R) -> (R, P(sum))").value();
  EXPECT_EQ(in(Notation::DTensor, change), "(S(0), R) -> (R, P(sum))");
  EXPECT_EQ(in(Notation::NamedAxes, change), "dp:S(0) tp:R -> dp:R tp:P(sum)");
  EXPECT_EQ(in(Notation::PartitionSpec, change), "P('dp') -> P(unreduced={'tp'})");
}

TEST_F(Recorded, KeysHaveTheirPlacementsRewritten) {
  const auto key = parseLookupValue("aten.mm, f32[10, 3](S(0), R), f32[](R, R)");
  EXPECT_EQ(in(Notation::DTensor, key), "aten.mm, f32[10, 3](S(0), R), f32[](R, R)");
  EXPECT_EQ(in(Notation::NamedAxes, key), "aten.mm, f32[10, 3](dp:S(0) tp:R), f32[](dp:R tp:R)");
  EXPECT_EQ(in(Notation::PartitionSpec, key), "aten.mm, f32[10, 3] P('dp', None), f32[] P()");
  const LookupValue target(Placements{Shard{0}, Replicate{}});
  EXPECT_EQ(in(Notation::DTensor, target), "(S(0), R)");
  EXPECT_EQ(in(Notation::NamedAxes, target), "dp:S(0) tp:R");
}

TEST_F(Recorded, PlacementsThatDoNotFitTheMeshStay) {
  for (const char* text : {"S(0)", "(S(0), R, R)", "MaskP(sum, [10, 3], 0) -> R"}) {
    EXPECT_EQ(in(Notation::NamedAxes, parseRoute(text).value()), text);
    EXPECT_EQ(in(Notation::PartitionSpec, parseRoute(text).value()), text);
  }
  EXPECT_EQ(PlacementWords(journal_, Notation::NamedAxes).of(RecordedPlacements("S(0)R")), "S(0)R");
}

TEST_F(Recorded, OneAxisNeedsNoParentheses) {
  recorder_.meta("mesh", "4:tp");
  EXPECT_EQ(in(Notation::NamedAxes, parseRoute("MaskP(sum, [10, 3], 0) -> R").value()),
            "tp:MaskP(sum, [10, 3], 0) -> tp:R");
  EXPECT_EQ(in(Notation::PartitionSpec, parseLookupValue("aten.R.S(0), f32[10, 3](S(0)), NaN")),
            "aten.R.S(0), f32[10, 3] P('tp', None), NaN");
}

TEST_F(Recorded, PlacementsOnSomeAxesNameThem) {
  const PlacementWords words(journal_, Notation::NamedAxes);
  EXPECT_EQ(words.along({1}, "S(0)"), "tp:S(0)");
  EXPECT_EQ(words.along({0, 1}, "S(0), R"), "dp:S(0) tp:R");
  EXPECT_EQ(words.along({}, "S(0)"), "S(0)");
  EXPECT_EQ(words.along({2}, "S(0)"), "S(0)");
  EXPECT_EQ(words.along({1}, "S(0), R"), "S(0), R");
}

TEST_F(Recorded, ATensorsOwnMeshAndDimensionsCount) {
  const auto row = DeviceMesh::make({2}, {"x"}, {4, 5}).value();
  const TensorId own =
      recorder_.addTensor("own", {DType::Float32, {6, 3}, {Shard{0}}, shared(row)});
  const TensorId tall =
      recorder_.addTensor("tall", {DType::Float32, {6, 3, 2}, {Shard{0}, Replicate{}}});
  recorder_.note(makeRedistribute(routeIn(recorder_, "S(0) -> R"), own, Verdict::Explicit));
  recorder_.note(
      makeRedistribute(routeIn(recorder_, "(S(0), R) -> (R, R)"), tall, Verdict::Explicit));
  constexpr auto kAxes = Notation::NamedAxes, kJax = Notation::PartitionSpec;
  EXPECT_EQ(placedText(journal_, journal_.tensor(own), kAxes), "x:S(0) on ranks 4, 5");
  EXPECT_EQ(eventWords(journal_, 1, kAxes).title, "redistribute own: x:S(0) → x:R");
  EXPECT_EQ(eventWords(journal_, 2, kAxes).title, "redistribute tall: dp:S(0) tp:R → dp:R tp:R");
  EXPECT_EQ(eventWords(journal_, 1, kJax).title, "redistribute own: P('x', None) → P(None, None)");
  EXPECT_EQ(eventWords(journal_, 2, kJax).title,
            "redistribute tall: P('dp', None, None) → P(None, None, None)");
}

}  // namespace
}  // namespace shardlens::view
