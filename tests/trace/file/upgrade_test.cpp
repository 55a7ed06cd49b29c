// Tests that recordings of format 4.0, which is no longer written, still open, and that their texts
// become the fields of format 5.0. The files are a recording in format 4.0, and the state at its
// end as the version of that time showed it.
#include "core/trace/file/upgrade.h"

#include "core/trace/file/bookmark_file.h"
#include "core/trace/merge/trace_reader.h"
#include "core/trace/records/lookup_record.h"
#include "core/trace/records/plan_record.h"
#include "core/trace/snapshot/snapshot_json.h"
#include "core/trace/snapshot/state_index.h"
#include "tests/support/scratch_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>

namespace shardlens {
namespace {

using ::testing::ElementsAre;

class Upgrade : public testing::Test {
 protected:
  Upgrade() {
    std::filesystem::copy_file(SHARDLENS_TRACE_FIXTURES "/format_4.shardlens", path_);
    reader_ = TraceReader::open(path_).value();
  }

  const Journal& journal() const { return reader_->journal(); }
  // Returns the events of a kind.
  std::vector<Event> all(EventKind kind) const {
    std::vector<Event> events;
    for (EventId id = 1; id <= journal().size(); ++id) {
      if (journal().at(id).kind == kind) events.push_back(journal().at(id));
    }
    return events;
  }

  ScratchFolder folder_;
  std::filesystem::path path_ = folder_ / "old.shardlens";
  std::unique_ptr<TraceReader> reader_;
};

TEST_F(Upgrade, ShowsTheStateThatTheOldVersionShowed) {
  StateIndex states(journal());
  std::ifstream expected(SHARDLENS_TRACE_FIXTURES "/format_4.json");
  EXPECT_EQ(snapshotJson(journal(), states.at(journal().size())),
            nlohmann::ordered_json::parse(expected));
}

TEST_F(Upgrade, MapsNamesToFieldsAndKeepsTheirText) {
  std::vector<std::string> names;
  for (const Event& event : all(EventKind::Plan)) {
    EXPECT_EQ(event.name, 0U);
    names.emplace_back(journal().name(event));
  }
  EXPECT_THAT(names, ElementsAre("(S(0), S(0)) -> (R, R)", "(S(0), S(0)) -> (R, R) -> (R, S(0))",
                                 "(S(0), MaskP(sum, [10, 3], 0)) -> (S(0), R)"));
  const Event move = all(EventKind::Redistribute).at(1);
  const Placements whole{Shard{0}, Shard{0}}, outer{Replicate{}, Shard{0}};
  EXPECT_EQ(journal().route(move.route), (Route{whole, outer}));
  std::vector<CollectiveKind> collectives;
  for (const Event& event : all(EventKind::Collective)) collectives.push_back(event.collective());
  EXPECT_THAT(collectives, ElementsAre(CollectiveKind::AllGather, CollectiveKind::AllGather,
                                       CollectiveKind::AllReduce));
  const auto lookups = all(EventKind::CacheLookup);
  EXPECT_EQ(lookups.front().cache(), CacheTable::Plan);
  EXPECT_EQ(lookups.back().cache(), CacheTable::Strategy);
  EXPECT_EQ(journal().name(lookups.back()), "strategy");
}

TEST_F(Upgrade, FindsTheTensorsInKeys) {
  const auto lookups = all(EventKind::CacheLookup);
  const auto plan = readLookup(journal().detail(lookups.front())).fields;
  const Placements sharded{Shard{0}, Shard{0}}, whole{Replicate{}, Replicate{}};
  ASSERT_EQ(plan.size(), 2U);
  EXPECT_EQ(plan[0].value, LookupValue(LookupTensor{DType::Float32, {8, 4}, sharded}));
  EXPECT_EQ(plan[1].value, LookupValue(whole));
  EXPECT_EQ(keyText(plan), "f32[8, 4](S(0), S(0)), (R, R)");
}

TEST_F(Upgrade, FindsThePlacementsOfPlans) {
  const PlanRecord plan = readPlan(journal().detail(all(EventKind::Plan).front()));
  EXPECT_THAT(plan.steps.front().meshDims, ElementsAre(0, 1));
  EXPECT_EQ(plan.alternatives.front().via, Placements());
  EXPECT_EQ(plan.alternatives.at(2).via, (Placements{Replicate{}, StridedShard{0, 2}}));
}

TEST_F(Upgrade, ReadsTheRecordingOnceAndItsBookmarksAgain) {
  EXPECT_FALSE(reader_->mayGrow());
  EXPECT_FALSE(reader_->refresh().value());
  ASSERT_TRUE(keepBookmarks(path_, std::vector{BookmarkChange{7, "sent"}}));
  EXPECT_TRUE(reader_->refresh().value());
  EXPECT_EQ(journal().bookmarks().at(7), "sent");
}

// An import may have placements in the notation of another tool.
TEST(UpgradeFromFormat4, KeepsANameThatIsNoRoute) {
  Journal journal;
  journal.onString(1, "S(0)R -> RR");
  journal.onString(2, "S(64) -> R");
  UpgradeFromFormat4 upgrade(journal);
  for (const StringId name : {1U, 2U}) {
    Event event;
    event.kind = EventKind::Redistribute;
    event.name = name;
    EXPECT_EQ(upgrade(event), event);
  }
  EXPECT_EQ(journal.routes(), 0U);
}

TEST(UpgradeFromFormat4, TellsJobsByTheirTorch) {
  Journal journal;
  journal.onMeta("backend", "DTensor of torch 2.15.0");
  UpgradeFromFormat4(journal).upgradeMeta();
  EXPECT_EQ(journal.meta("torch"), "2.15.0");
}

}  // namespace
}  // namespace shardlens
