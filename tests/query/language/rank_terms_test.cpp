// Terms, tables and problems about ranks by their mesh and their programs.
#include "app/bench/run_case.h"
#include "core/query/language/event_filter.h"
#include "core/query/problems/problems.h"
#include "core/query/sql/sql.h"
#include "core/trace/merge/trace_reader.h"
#include "tests/support/scratch_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <set>

namespace shardlens {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A run of 16 ranks on 2 stages x 4 data x 2 tensor parallel ranks, in which rank 5 diverges.
class RankTerms : public ::testing::Test {
 protected:
  RankTerms() {
    const RunCase of{.ranks = 16,
                     .steps = 3,
                     .stages = 2,
                     .tensorParallel = 2,
                     .fault = RunCase::Fault::Divergence,
                     .faulty = 5};
    EXPECT_TRUE(recordRun(of, folder_.path()));
    reader_ = TraceReader::open(folder_.path()).value();
  }
  const Journal& journal() const { return reader_->journal(); }

  // The texts of the ranks of matching events.
  std::set<std::string> ranksOf(const std::string& text) const {
    const auto query = parseQuery(text, journal());
    EXPECT_TRUE(query) << query.error().message;
    const EventFilter filter(journal(), query.value_or(Query()));
    std::set<std::string> ranks;
    for (EventId id = 0; (id = filter.next(id)) != 0;) {
      ranks.emplace(journal().text(journal().at(id).ranks));
    }
    return ranks;
  }
  std::vector<std::string> rows(const std::string& statement) {
    std::vector<std::string> all;
    Sql sql(sqlSourceOf(*reader_));
    const auto done = sql.query(statement, [&](const SqlRow& row) {
      std::string line;
      for (const auto& cell : row) line += (line.empty() ? "" : " ") + cell.second.dump();
      all.push_back(line);
    });
    EXPECT_TRUE(done) << done.error().message;
    return all;
  }

  const ScratchFolder folder_;
  std::unique_ptr<TraceReader> reader_;
};

TEST_F(RankTerms, CoordinatesSelectTheRanksThatHaveAllOfThem) {
  // A collective of ranks that have one coordinate each, in different ranks, does not match.
  EXPECT_THAT(ranksOf("kind:collective name:all_reduce rank:(pp=1 dp=2 tp=0)"),
              ElementsAre("12,13", "8,10,12,14"));
  EXPECT_EQ(ranksOf("kind:collective rank:(pp=1 dp=2 tp=0)"), ranksOf("kind:collective rank:12"));
  EXPECT_EQ(ranksOf("rank:(pp=0)"), ranksOf("rank:0-7"));
}

TEST_F(RankTerms, AMeshWithoutThemIsAnError) {
  EXPECT_THAT(parseQuery("mm rank:(ep=1)", journal()).error().message,
              HasSubstr("rank: got the axis ep, expected one of pp, dp, tp"));
  EXPECT_EQ(parseQuery("mm rank:(ep=1)", journal()).error().at, 3U);
  EXPECT_THAT(parseQuery("rank:(pp=2)", journal()).error().message,
              HasSubstr("expected coordinates from 0 to 1"));
  EXPECT_THAT(parseQuery("rank:(pp=1)", Journal()).error().message, HasSubstr("no mesh is known"));
}

TEST_F(RankTerms, RolesAndDivergencesAreTermsAndTables) {
  EXPECT_EQ(ranksOf("role:2"), ranksOf("rank:8-15"));
  EXPECT_THAT(ranksOf("diverged"), ElementsAre("0,2,4,6", "1,3,5,7"));
  EXPECT_THAT(rows("SELECT id, ranks, members, axes, first_rank FROM roles"),
              ElementsAre(R"(1 "0-7" 8 "pp=0" 0)", R"(2 "8-15" 8 "pp=1" 8)"));
  EXPECT_THAT(rows("SELECT step, ranks, name, line, most_ranks, most_name, most_line FROM "
                   "divergences"),
              ElementsAre(R"(3 "5" "reduce_scatter" 30 "0-4,6,7" "all_reduce" 30)"));
}

TEST_F(RankTerms, ProblemsOfRanksHaveAnEventOfThem) {
  const auto all = findProblems(*reader_);
  const auto of = [&](const char* ranks) {
    std::vector<std::string> rules;
    for (const auto& each : problemsOf(parseRankRanges(ranks), journal(), all)) {
      rules.push_back(each.rule);
    }
    return rules;
  };
  EXPECT_EQ(of("0-15").size(), all.size());
  EXPECT_THAT(of("5"), ::testing::Contains("collective-mismatch"));
  EXPECT_THAT(of("12-15"), ElementsAre());
}

}  // namespace
}  // namespace shardlens
