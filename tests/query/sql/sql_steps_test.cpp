#include "core/query/sql/sql_steps.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace shardlens {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(SqlSteps, AreThoseOfTheConditions) {
  EXPECT_THAT(stepsOfSql("SELECT count(*) FROM events WHERE step = 37"),
              ElementsAre(RankRange{36, 36}));
  EXPECT_THAT(stepsOfSql("SELECT id FROM collectives WHERE step BETWEEN 3 AND 5 AND bytes > 1"),
              IsEmpty());  // there is no column id
  EXPECT_THAT(stepsOfSql("SELECT event FROM collectives WHERE step BETWEEN 3 AND 5 AND bytes > 1"),
              ElementsAre(RankRange{2, 4}));
  EXPECT_THAT(stepsOfSql("SELECT kind FROM events WHERE step IN (3, 7, 4)"),
              ElementsAre(RankRange{2, 3}, RankRange{6, 6}));
  EXPECT_THAT(stepsOfSql("SELECT rank, sum(time) FROM arrivals WHERE step > 2 AND step < 5"
                         " GROUP BY rank ORDER BY 2"),
              ElementsAre(RankRange{2, 3}));
}

TEST(SqlSteps, AreNoneIfOtherRowsMayBeRead) {
  for (const char* select :
       {"SELECT count(*) FROM events", "SELECT 1", "SELECT count(*) FROM events WHERE step < 5",
        "SELECT count(*) FROM events WHERE step = 5 OR kind = 'Step'",
        "SELECT count(*) FROM events WHERE step = 0",
        "SELECT count(*) FROM events WHERE step = 5 AND id < 100",
        "SELECT count(*) FROM events WHERE step = 5 AND parent = 7",
        "SELECT count(*) FROM problems WHERE rule = 'x'",
        "SELECT (SELECT count(*) FROM events) FROM collectives WHERE step = 5",
        "SELECT count(*) FROM events a JOIN events b ON a.parent = b.id WHERE a.step = 5",
        "SELECT kind FROM events WHERE step = 5 UNION SELECT name FROM tensors", "SELECT FROM",
        "WITH c(x) AS (SELECT 3 UNION SELECT x + 1 FROM c CROSS JOIN events ON events.step = c.x"
        " WHERE x < 6) SELECT * FROM c",
        "DELETE FROM events WHERE step = 5"}) {
    EXPECT_THAT(stepsOfSql(select), IsEmpty()) << select;
  }
}

}  // namespace
}  // namespace shardlens
