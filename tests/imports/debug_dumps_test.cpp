#include "core/trace/records/candidates_record.h"
#include "core/trace/records/site_record.h"
#include "tests/imports/imported.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace shardlens {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsSupersetOf;

TEST(DebugModeTest, HasOperatorsRedistributionsAndPlacements) {
  const Imported run({sample("debug_mode.txt")});
  const auto tree = run.tree(20);
  ASSERT_GE(tree.size(), 20U);
  EXPECT_THAT(
      (std::vector<std::string>(tree.begin() + 4, tree.begin() + 9)),
      ElementsAre("Operator aten.embedding", "  Candidates MaskP(sum, [16, 8], 0)",
                  "  Redistribute R -> MaskP(sum, [16, 8], 0)",
                  "    Redistribute R -> MaskP(sum, [16, 8], 0)", "      Operator aten.lt.Scalar"));
  const auto candidates = readCandidates(run.journal().detail(run.journal().at(6))).candidates;
  EXPECT_THAT(candidates.at(0).inputs,
              ElementsAre(RecordedPlacements("S(0)"), RecordedPlacements("R")));
  EXPECT_EQ(candidates.at(0).cost, std::nullopt);  // the dump has no costs
  EXPECT_EQ(run.journal().at(7).verdict, Verdict::Implicit);
  EXPECT_EQ(tree[15], "  Redistribute MaskP(sum, [16, 8], 0) -> R");
  EXPECT_EQ(run.journal().at(16).verdict, Verdict::Explicit);
  EXPECT_THAT(run.collectives(),
              ElementsAre("all_reduce of 0, 192 bytes", "all_reduce of 0, 192 bytes",
                          "all_reduce of 0, 192 bytes"));
  EXPECT_EQ(run.journal().at(1).time, 0);  // the dump has no times
}

TEST(DebugModeTest, TextAndJsonAgree) {
  const Imported text({sample("debug_mode.txt")}), json({sample("debug_mode.json")});
  EXPECT_EQ(text.tree(1000), json.tree(1000));
  EXPECT_EQ(json.report().dumps.at(0).format, "DebugMode JSON");
}

TEST(CommDebugModeTest, AssignsOperatorsToModules) {
  const Imported run({sample("comm_debug_mode.json.gz")});
  const auto tree = run.tree(1000);
  EXPECT_THAT(
      std::vector<std::string>(tree.begin(), tree.begin() + 5),
      ElementsAre("Operator Global", "  Operator Transformer", "    Operator Transformer.embedding",
                  "      Operator aten.detach", "        Candidates S(0)"));
  EXPECT_THAT(run.collectives(), ElementsAre("all_reduce", "all_reduce", "all_reduce"));
  std::vector<std::string> places;
  for (EventId id = 1; id <= run.journal().size(); ++id) {
    const Event event = run.journal().at(id);
    if (event.kind != EventKind::Collective) continue;
    const SiteRecord site = readSite(run.journal().text(event.site));
    places.push_back(site.module + " " + site.pass);
  }
  EXPECT_THAT(places, ElementsAre("Transformer.embedding forward", "Transformer.layer.up backward",
                                  "Transformer.layer.down forward"));
}

TEST(CommDebugModeTest, WhereOperatorsAreLeftOutCollectivesAreAsCounted) {
  const ScratchFolder folder;
  const auto path = written(folder, "comm.json", R"({"fqn": "Global", "children": [
      {"fqn": "M", "children": [], "collectives_forward": [["c10d_functional.all_gather_into_tensor", 2]],
       "collectives_backward": [], "operations_forward": [], "operations_backward": []}],
    "collectives_forward": [["c10d_functional.all_gather_into_tensor", 3]], "collectives_backward": []})");
  const Imported run({path});
  EXPECT_THAT(run.tree(9),
              ElementsAre("Operator Global", "  Operator M", "    Collective all_gather",
                          "    Collective all_gather", "  Collective all_gather"));
}

}  // namespace
}  // namespace shardlens
