// Tests that recordings of format 1, which is no longer written, still open.
#include "core/trace/file/upgrade.h"

#include "core/trace/file/database.h"
#include "core/trace/merge/trace_reader.h"
#include "core/trace/snapshot/cache_key.h"
#include "core/trace/snapshot/snapshot_json.h"
#include "core/trace/snapshot/state_index.h"
#include "tests/support/scratch_folder.h"
#include "tests/trace/sample_run.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <fstream>
#include <sstream>

namespace shardlens {
namespace {

std::string contentOf(const char* name) {
  const std::ifstream file(std::string(SHARDLENS_TRACE_FIXTURES "/") + name);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// The files are a recording in format 1.4 of a scenario with pending lookups, and the state at its
// end as the version of that time showed it.
TEST(Upgrade, ShowsTheSameAsTheOldRecording) {
  const ScratchFolder folder;
  const auto path = folder / "old.shardlens";
  Database(path, Database::Access::Create).execute(contentOf("format_1.sql"));
  const auto reader = TraceReader::open(path);
  ASSERT_TRUE(reader) << reader.error().message;
  const Journal& journal = (*reader)->journal();
  StateIndex states(journal);
  EXPECT_EQ(snapshotJson(journal, states.at(journal.size())),
            nlohmann::ordered_json::parse(contentOf("format_1.json")));
  EXPECT_FALSE((*reader)->mayGrow());
  EXPECT_FALSE((*reader)->refresh().value());
}

// Format 1 has the names of an operator's inputs, not their ids.
TEST(Upgrade, HasTheArgumentsOfOperators) {
  const ScratchFolder folder;
  const auto path = folder / "old.shardlens";
  Database(path, Database::Access::Create).execute(contentOf("format_1.sql"));
  const auto reader = TraceReader::open(path).value();
  const Journal& journal = reader->journal();
  std::string called;
  for (EventId id = 1; id <= journal.size(); ++id) {
    for (const TensorId input : journal.inputs(id)) called += journal.tensor(input).name + " ";
  }
  EXPECT_EQ(called, "w x u x w x w x w v ");
}

// Format 1.0 has no column for the meshes of tensors.
TEST(Upgrade, ReadsTheFirstVersion) {
  const ScratchFolder folder;
  const auto path = folder / "first.shardlens";
  Database(path, Database::Access::Create)
      .execute(
          contentOf("format_1.sql") +
          "ALTER TABLE tensors DROP COLUMN mesh; UPDATE meta SET value='1.0' WHERE key='format'");
  const auto reader = TraceReader::open(path);
  ASSERT_TRUE(reader) << reader.error().message;
  EXPECT_EQ((*reader)->journal().tensor(1).name, "w");
  EXPECT_FALSE((*reader)->journal().tensor(1).mesh);
}

// The tensors must be a table. A view is refused, because opening the file would run its query.
TEST(Upgrade, RefusesTensorsThatAreComputed) {
  const ScratchFolder folder;
  const auto path = folder / "computed.shardlens";
  Database(path, Database::Access::Create)
      .execute(contentOf("format_1.sql") +
               "ALTER TABLE tensors RENAME TO kept; CREATE VIEW tensors AS SELECT * FROM kept");
  const auto reader = TraceReader::open(path);
  ASSERT_FALSE(reader);
  EXPECT_NE(reader.error().message.find("computed, not stored"), std::string::npos);
}

// A journal of lookups in one cache, as read from format 1.
class OldLookups {
 public:
  OldLookups() { journal_.onString(1, "plan"); }
  void look(Verdict verdict, const char* detail, int uses = 0) {
    Event event;
    event.kind = EventKind::CacheLookup;
    event.name = 1;
    event.verdict = verdict;
    event.count = uses;
    event.detail = journal_.strings() + 1;
    event.step = 7;
    journal_.onString(event.detail, detail);
    journal_.onEvent(journal_.size() + 1, event);
  }
  Journal& journal() { return journal_; }

 private:
  Journal journal_;
};

TEST(Upgrade, AddsAnEventForAnEviction) {
  OldLookups old;
  old.look(Verdict::Miss, R"({"key":"a","entries":0})");
  old.look(Verdict::Miss, R"({"key":"b","entries":1,"nearest":"a"})");
  old.look(Verdict::Miss, R"({"key":"refused","kept":false})");
  old.look(Verdict::Miss, R"({"key":"c","evicts":"a"})");
  old.look(Verdict::Hit, R"({"key":"b","age":3,"entries":2})", 1);
  old.look(Verdict::Hit, R"({"key":"a"})", 1);  // the entry was evicted
  addTensor(old.journal(), "t", {DType::Bool, {1}});
  ValueRecord value;
  value.event = 5;
  value.tensor = 1;
  value.level = CaptureLevel::Statistics;
  old.journal().onValue(value);

  const Journal now = upgradedFromFormat1(old.journal());
  ASSERT_EQ(now.size(), 7U);
  EXPECT_EQ(now.at(2).subject, 1U);
  EXPECT_EQ(now.at(2).bytes, 1);
  EXPECT_EQ(now.at(2).count, 1);
  EXPECT_EQ(now.at(3).count, 0);
  EXPECT_EQ(now.at(5).kind, EventKind::CacheEvicted);
  EXPECT_EQ(now.at(5).subject, 1U);
  EXPECT_EQ(now.at(5).step, 7);
  EXPECT_EQ(now.name(now.at(5)), "plan");
  EXPECT_EQ(now.at(6).subject, 2U);
  EXPECT_EQ(now.at(6).related, 3U);
  EXPECT_EQ(now.at(6).count, 1);
  EXPECT_EQ(now.at(7).subject, 0U);
  EXPECT_EQ(now.values().at(0)->event, 6U);
  EXPECT_EQ(cacheKey(now, 2), "b");
  StateIndex states(now);
  EXPECT_EQ(states.at(7).planCache,
            (CacheState{2, 4, std::vector<CacheEntry>{{2, 1, 6}, {4, 0, 4}}}));
}

// Formats before 1.4 do not record evictions.
TEST(Upgrade, AnEntryThatIsMadeAgainHadBeenEvicted) {
  OldLookups old;
  old.look(Verdict::Miss, R"({"key":"a"})");
  old.look(Verdict::Miss, R"({"key":"a"})");
  old.look(Verdict::Hit, R"({"key":"a"})", 1);
  const Journal now = upgradedFromFormat1(old.journal());
  ASSERT_EQ(now.size(), 4U);
  EXPECT_EQ(now.at(3).kind, EventKind::CacheEvicted);
  EXPECT_EQ(now.at(3).subject, 1U);
  EXPECT_EQ(now.at(4).subject, 2U);
}

}  // namespace
}  // namespace shardlens
