#include "core/query/sql/sql.h"

#include "core/model/step_number.h"
#include "core/trace/events/event_names.h"
#include "core/trace/events/packed_events.h"
#include "core/trace/recorder/event_makers.h"
#include "core/trace/records/trace_rows.h"
#include "tests/trace/named_event.h"
#include "tests/trace/sample_run.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cctype>

namespace shardlens {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

class SqlTest : public ::testing::Test {
 protected:
  SqlTest() {
    Recorder recorder;
    recorder.addSink(journal_);
    recorder.setCapture(CaptureLevel::All);
    recorder.meta("mesh", "2:tp");
    recordSample(recorder);
    recordLong(recorder, 400);
    const EventId send = recorder.begin({.kind = EventKind::Collective});
    recorder.detach(send);
    recorder.complete(send, 1);
    recorder.begin(Event{});
  }

  json rows(const std::string& select) {
    json found = json::array();
    const auto columns = Sql({journal_}).query(select, [&](const SqlRow& row) {
      json cells = json::array();
      for (const auto& [name, cell] : row) cells.push_back(cell);
      found.push_back(std::move(cells));
    });
    EXPECT_TRUE(columns) << columns.error().message;
    return found;
  }

  std::string refusal(const std::string& select) {
    const auto columns = Sql({journal_}).query(select, [](const SqlRow&) {});
    return columns ? "answered" : columns.error().message;
  }

  Journal journal_;
};

TEST_F(SqlTest, HasAllOfEachEvent) {
  const json found = rows("SELECT * FROM events");
  ASSERT_EQ(found.size(), journal_.size());
  for (EventId id = 1; id <= journal_.size(); ++id) {
    const Event event = journal_.at(id);
    const json duration = event.duration == Event::kRunning ? json() : json(event.duration);
    const json exposed = event.exposed == 0 ? json() : json(event.exposed);
    ASSERT_EQ(found[id - 1], json({id,
                                   event.time,
                                   duration,
                                   event.bytes,
                                   event.parent,
                                   journal_.name(event),
                                   journal_.detail(event),
                                   journal_.text(event.ranks),
                                   event.subject,
                                   event.related,
                                   event.line,
                                   stepNumber(event.step),
                                   event.count,
                                   kindName(event.kind),
                                   verdictName(event.verdict),
                                   event.meshDim,
                                   json(journal_.inputs(id)).dump(),
                                   journal_.text(event.site),
                                   journal_.text(event.device),
                                   journal_.text(event.group),
                                   event.sequence,
                                   exposed}));
  }
}

TEST_F(SqlTest, HasTheEndsOfARoute) {
  Recorder recorder;
  Journal moved;
  recorder.addSink(moved);
  const RouteId route = routeIn(recorder, "(S(0), R) -> (R, R) -> (R, S(1))");
  recorder.note(makePlan(recorder, route, 2, 0, std::nullopt));
  json found = json::array();
  const auto take = [&](const SqlRow& row) {
    for (const auto& [name, cell] : row) found.push_back(cell);
  };
  ASSERT_TRUE(Sql({moved}).query("SELECT name, from_placements, to_placements FROM events", take));
  EXPECT_EQ(found,
            json({"(S(0), R) -> (R, R) -> (R, S(1))", R"j(["S(0)","R"])j", R"j(["R","S(1)"])j"}));
}

TEST_F(SqlTest, NamesTheColumnsWithoutARow) {
  const auto columns = Sql({journal_})
                           .query(
                               "SELECT id, count(*) AS n, max(time) FROM events WHERE id = 0 "
                               "GROUP BY id",
                               [](const SqlRow&) { FAIL() << "a row"; });
  EXPECT_EQ(*columns, (std::vector<std::string>{"id", "n", "max(time)"}));
}

TEST_F(SqlTest, HasAllTensorsAndTheRecordedValues) {
  const json tensors = rows("SELECT * FROM tensors");
  ASSERT_EQ(tensors.size(), journal_.tensors());
  const TensorRecord tensor = journal_.tensor(2);
  EXPECT_EQ(tensors[1], json({2, tensor.name, dtypeName(tensor.dtype), shapeJson(tensor.shape),
                              placementsJson(tensor.placements), nullptr}));
  const json values = rows("SELECT * FROM shard_values");
  ASSERT_EQ(values.size(), journal_.values().size());
  const ValueRecord value = journal_.values().at(0).value();
  EXPECT_EQ(values[0], json({1, value.event, value.tensor, value.rank, shapeJson(value.shape),
                             value.statistics.min, value.statistics.max, value.statistics.mean,
                             value.statistics.nans, value.statistics.zeros, nullptr}));
  EXPECT_EQ(rows("SELECT value FROM meta WHERE key='mesh'"), json({{"2:tp"}}));
}

TEST_F(SqlTest, FindsRowsByTheirNumbers) {
  EXPECT_EQ(rows("SELECT id FROM events WHERE id = 7"), json({{7}}));
  EXPECT_EQ(rows("SELECT id FROM events WHERE id > 4 AND id <= 6"), json({{5}, {6}}));
  EXPECT_EQ(rows("SELECT id FROM events WHERE id >= 4 AND id < 6"), json({{4}, {5}}));
  EXPECT_EQ(rows("SELECT id FROM events WHERE id < 3 ORDER BY id DESC"), json({{2}, {1}}));
  EXPECT_EQ(rows("SELECT id FROM events WHERE id < 1.5"), json({{1}}));
  EXPECT_EQ(rows("SELECT id FROM events WHERE id IN (0, 3, 99999)"), json({{3}}));
  EXPECT_EQ(rows("SELECT max(id) FROM events"), json({{journal_.size()}}));
  EXPECT_EQ(rows("SELECT t.name FROM events e JOIN tensors t ON t.id = e.subject"
                 " WHERE e.kind = 'Result' ORDER BY e.id LIMIT 1"),
            json({{journal_.tensor(1).name}}));
}

// The sign before a column keeps SQLite from passing the condition to the table.
TEST_F(SqlTest, ConditionsOnColumnsSelectTheSameRowsAsInSqlite) {
  for (const char* condition : {"step = 3",
                                "step > 2",
                                "step >= 3",
                                "step < 2",
                                "step <= 1",
                                "step BETWEEN 1 AND 2",
                                "step IN (0, 2, 9999)",
                                "step > 1.5",
                                "step IS NULL",
                                "kind = 'Result'",
                                "kind = 'result'",
                                "kind = 'result' COLLATE NOCASE",
                                "kind = 7",
                                "kind > 'Result'",
                                "kind IN ('Step', 'Compute')",
                                "kind = 'Result' AND bytes > 0",
                                "duration < 5",
                                "duration > 0",
                                "name = 'x' OR kind = 'Step'",
                                "inputs = '[]'",
                                "exposed = 0",
                                "process_group = ''",
                                "line = 2 AND id > 5"}) {
    const std::string text(condition);
    std::string signedText;  // with a sign before the name of each column
    for (std::size_t i = 0; i < text.size(); ++i) {
      const bool isName =
          std::islower(static_cast<unsigned char>(text[i])) != 0 && (i == 0 || text[i - 1] == ' ');
      signedText += isName ? "+" : "";
      signedText += text[i];
    }
    EXPECT_EQ(rows("SELECT id FROM events WHERE " + text),
              rows("SELECT id FROM events WHERE " + signedText))
        << text;
  }
  EXPECT_EQ(rows("SELECT id FROM events WHERE step = '1'"),
            rows("SELECT id FROM events WHERE step = 1"));
  EXPECT_EQ(rows("SELECT count(*) FROM events a LEFT JOIN events b ON b.step = a.id"
                 " AND b.kind = 'Step' WHERE a.id < 9"),
            rows("SELECT count(*) FROM events a LEFT JOIN events b ON +b.step = a.id"
                 " AND +b.kind = 'Step' WHERE a.id < 9"));
}

// As a file is loaded: in whole blocks, which are skipped by their summaries.
TEST_F(SqlTest, FindsTheEventsOfAStepInManyBlocks) {
  constexpr int kBlocks = 5;
  Journal blocks;
  for (EventId block = 0; block < kBlocks; ++block) {
    EventBlock of;
    of.first = block * kBlockEvents + 1;
    of.events.resize(kBlockEvents);
    for (Event& event : of.events) event.step = static_cast<int>(block);
    of.events[7].kind = block == 3 ? EventKind::Error : EventKind::Step;
    blocks.onBlock(of, packEvents(of));
  }
  const auto count = [&](const std::string& condition) {
    std::int64_t found = -1;
    const auto columns =
        Sql({blocks}).query("SELECT count(*) FROM events WHERE " + condition,
                            [&](const SqlRow& row) { found = row[0].second.get<std::int64_t>(); });
    EXPECT_TRUE(columns) << columns.error().message;
    return found;
  };
  EXPECT_EQ(count("step = 3"), kBlockEvents);
  EXPECT_EQ(count("step = 6"), 0);
  EXPECT_EQ(count("step > 3"), 2 * kBlockEvents);
  EXPECT_EQ(count("step >= 3"), 3 * kBlockEvents);
  EXPECT_EQ(count("step < 3"), 2 * kBlockEvents);
  EXPECT_EQ(count("step <= 3"), 3 * kBlockEvents);
  EXPECT_EQ(count("kind = 'Error'"), 1);
  EXPECT_EQ(count("kind = 'Error' AND step = 4"), 1);
  EXPECT_EQ(count("kind = 'Error' AND step = 3"), 0);
  EXPECT_EQ(count("step = 2 AND id <= " + std::to_string(kBlockEvents + 1)), 1);
  // CAST retains the type of a column and keeps SQLite from passing the condition to the table.
  for (const char* condition :
       {"{0} = 4 OR {1} = 'Error'", "{0} IN (1, 5, NULL)", "{0} IS NULL OR {0} < 2", "{0} < '2'",
        "{0} = -1", "{0} > -1", "{0} = NULL", "NOT {0} = 3", "{0} >= 2.5", "{0} = 3.0", "{0} < 'a'",
        "{1} LIKE 'err%'", "{1} = 'error' COLLATE NOCASE", "{1} NOT IN ('Error', 'Step')",
        "{1} < 'F'", "{1} = 3", "{1} IS NOT NULL AND {0} BETWEEN 2 AND 3"}) {
    EXPECT_EQ(
        count(fmt::format(fmt::runtime(condition), "step", "kind")),
        count(fmt::format(fmt::runtime(condition), "CAST(step AS INTEGER)", "CAST(kind AS TEXT)")))
        << condition;
  }
}

TEST_F(SqlTest, RejectsStatementsThatAreNoQuery) {
  EXPECT_EQ(refusal("SELEC 1"), "SQL: near \"SELEC\": syntax error, at character 1");
  EXPECT_EQ(refusal("SELECT nome FROM events"), "SQL: no such column: nome, at character 8");
  EXPECT_EQ(refusal("DELETE FROM meta"), "SQL: table meta may not be modified");
  EXPECT_EQ(refusal(""), "SQL: expected a SELECT, got ");
  EXPECT_EQ(refusal("SELECT 1; SELECT 2"), "SQL: expected one SELECT, got more:  SELECT 2");
  EXPECT_EQ(refusal("SELECT 1;\n"), "answered");
  EXPECT_THAT(refusal("ATTACH 'x' AS y"), HasSubstr("SQL: "));
  EXPECT_THAT(refusal("SELECT json('{')"), HasSubstr("malformed JSON"));
}

// The gallery's deadlock, recorded by four ranks: ranks 1 and 2 never called the second collective.
class SqlOfDeadlock : public ::testing::Test {
 protected:
  void SetUp() override {
    auto opened = TraceReader::open(std::filesystem::path(SHARDLENS_SOURCE_DIR) /
                                    "resources/gallery/18-a-deadlock");
    ASSERT_TRUE(opened) << opened.error().message;
    reader_ = std::move(*opened);
    while (reader_->settle()) continue;
  }

  json rows(const std::string& select) {
    json found = json::array();
    const auto columns = Sql(sqlSourceOf(*reader_)).query(select, [&](const SqlRow& row) {
      json cells = json::array();
      for (const auto& [name, cell] : row) cells.push_back(cell);
      found.push_back(std::move(cells));
    });
    EXPECT_TRUE(columns) << columns.error().message;
    return found;
  }

  std::unique_ptr<TraceReader> reader_;
};

TEST_F(SqlOfDeadlock, CountsTheRanksThatArrived) {
  EXPECT_EQ(rows("SELECT event, name, axis, ranks, members, sequence, bytes, arrived, expected "
                 "FROM collectives"),
            json({{1, "all_reduce", "default_pg", "0-3", 4, 1, 144, 4, 4},
                  {2, "all_reduce", "default_pg", "0-3", 4, 2, 72, 2, 4}}));
}

TEST_F(SqlOfDeadlock, HasARowPerRankThatArrived) {
  EXPECT_EQ(rows("SELECT event, rank, bytes FROM arrivals"),
            json({{1, 0, 36}, {1, 1, 36}, {1, 2, 36}, {1, 3, 36}, {2, 0, 36}, {2, 3, 36}}));
}

TEST_F(SqlOfDeadlock, HasTheProblems) {
  EXPECT_EQ(rows("SELECT id, rule, severity, times, event FROM problems"),
            json({{1, "rank-that-waits", "error", 1, 2}}));
}

// A column that is not the number of the row is compared by SQLite.
TEST_F(SqlTest, FindsABookmarkByItsEvent) {
  Journal journal;
  journal.setBookmarks({{7, "seven"}, {9, "nine"}});
  json found;
  ASSERT_TRUE(Sql({journal}).query("SELECT note FROM bookmarks WHERE event = 9",
                                   [&](const SqlRow& row) { found.push_back(row[0].second); }));
  EXPECT_EQ(found, json({"nine"}));
}

}  // namespace
}  // namespace shardlens
