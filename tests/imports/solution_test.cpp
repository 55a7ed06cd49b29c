#include "core/trace/records/candidates_record.h"
#include "core/trace/records/site_record.h"
#include "tests/imports/imported.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace shardlens {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(SolutionTest, OfAGraphHasPlacementsAndCosts) {
  const Imported run({sample("written/autoparallel_graph.json")});
  const Journal& journal = run.journal();
  EXPECT_EQ(journal.meta("mesh"), "2x4:dp,tp");
  EXPECT_EQ(journal.meta("hosted"), "0-7");
  EXPECT_THAT(run.report().notes, IsEmpty());
  EXPECT_THAT(run.tree(20),
              ElementsAre("Operator placeholder", "  Candidates RS(1)", "  Result primals_1",
                          "Operator placeholder", "  Candidates S(0)R", "  Result primals_2",
                          "Operator aten.mm", "  Candidates S(0)S(1)", "  Result mm",
                          "Operator aten.relu", "  Candidates S(0)R",
                          "  Redistribute S(0)S(1) -> S(0)R", "  Result relu", "Operator output"));
  EXPECT_THAT(journal.inputs(7), ElementsAre(2, 1));
  EXPECT_EQ(toText(journal.tensor(3).placements), "(S(0), S(1))");
  EXPECT_EQ(journal.at(12).subject, 3U);
  EXPECT_EQ(readCandidates(journal.detail(journal.at(11))).candidates.at(0).cost, 12.25);
  const SiteRecord site = readSite(journal.text(journal.at(7).site));
  EXPECT_EQ(site, (SiteRecord{.file = "model.py",
                              .line = 12,
                              .module = "layer.up",
                              .pass = "forward",
                              .caller = "forward"}));
}

TEST(SolutionTest, OfPlacementsAloneHasNoTensors) {
  const Imported run({sample("written/autoparallel_solution.json")});
  EXPECT_THAT(run.tree(20),
              ElementsAre("Operator primals_1", "  Candidates RS(0)", "Operator primals_2",
                          "  Candidates S(0)R", "Operator mm", "  Candidates S(0)S(1)"));
  EXPECT_EQ(run.journal().tensors(), 0U);
}

}  // namespace
}  // namespace shardlens
