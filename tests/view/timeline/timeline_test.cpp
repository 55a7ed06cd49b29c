#include "core/view/timeline/timeline_rows.h"
#include "core/view/timeline/timeline_totals.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <map>

namespace shardlens::view {
namespace {

std::string textOf(const TimelineSpan& span) {
  static const char* const kNames[] = {"step", "operator", "compute", "collective",
                                       "hit",  "miss",     "mask",    "error"};
  std::string text =
      fmt::format("{} {} {}", span.event, kNames[static_cast<int>(span.kind)], span.begin);
  if (span.end == TimelineSpan::kForever) {
    text += "-";
  } else if (!isMoment(span.kind)) {
    text += fmt::format("-{}", span.end);
  }
  if (span.wait >= TimelineSpan::kForever - span.begin) {
    text += " waits on";
  } else if (span.wait > 0) {
    text += fmt::format(" waits {}", span.wait);
  }
  return span.late > 0 ? text + fmt::format(" late {}", span.late) : text;
}

std::string lane(const Timeline& timeline, int rank) {
  std::string text;
  for (const auto& span : timeline.spans(rank, 0, TimelineSpan::kForever, 0)) {
    text += (text.empty() ? "" : ", ") + textOf(span);
  }
  return text;
}

class TimelineTest : public ::testing::Test {
 protected:
  EventId add(EventKind kind, std::int64_t time, std::int64_t duration = 0,
              std::string_view ranks = "", Verdict verdict = Verdict::None) {
    Event event;
    event.kind = kind;
    event.time = time;
    event.duration = duration;
    event.verdict = verdict;
    event.meshDim = kind == EventKind::Collective ? 0 : -1;
    if (!ranks.empty()) {
      auto [known, isNew] = strings_.emplace(ranks, journal_.strings() + 1);
      if (isNew) journal_.onString(known->second, ranks);
      event.ranks = known->second;
    }
    journal_.onEvent(journal_.size() + 1, event, {});
    return journal_.size();
  }
  // Sets the times of events per rank, as in a merged journal. They replace those of the events.
  void merge(std::map<std::pair<EventId, int>, EventPart> parts) {
    parts_ = std::move(parts);
    journal_.setPartLookup([this](EventId id, int rank) {
      const auto found = parts_.find({id, rank});
      return found == parts_.end() ? std::nullopt : std::optional(found->second);
    });
  }

  std::map<std::string, StringId, std::less<>> strings_;
  std::map<std::pair<EventId, int>, EventPart> parts_;
  Journal journal_;
};

void takeAll(Timeline& timeline) {
  while (timeline.take(3)) {
  }
  timeline.update();
}

TEST_F(TimelineTest, OfOneProcessHasOneClock) {
  journal_.onMeta("mesh", "2x2:dp,tp");
  add(EventKind::Step, 10, 90, "0-3");
  add(EventKind::Operator, 12, 60, "0-3");
  add(EventKind::CacheLookup, 13, 0, "0-3", Verdict::Hit);
  add(EventKind::CacheLookup, 14, 0, "0-3", Verdict::Off);
  add(EventKind::Candidates, 15, 0, "0-3");
  add(EventKind::MaskApplied, 16, 0, "2,3");
  add(EventKind::Compute, 20, 5, "2,3");
  add(EventKind::Collective, 30, 20, "0,2|1,3");
  add(EventKind::Error, 70);
  Timeline timeline(journal_);
  EXPECT_FALSE(timeline.hasTimes());
  takeAll(timeline);
  const std::string first = "1 step 10-100, 2 operator 12-72, 3 hit 13, 4 miss 14";
  EXPECT_EQ(lane(timeline, 1), first + ", 8 collective 30-50, 9 error 70");
  EXPECT_EQ(lane(timeline, 2),
            first + ", 6 mask 16, 7 compute 20-25, 8 collective 30-50, 9 error 70");
  EXPECT_EQ(lane(timeline, 4), "");
  EXPECT_EQ(timeline.lanes(), 4);
  EXPECT_EQ(timeline.begin(), 10);
  EXPECT_EQ(timeline.workBegin(), 12);
  EXPECT_EQ(timeline.end(), 100);
  EXPECT_EQ(timeline.groupOf(8, 2), 0);
  EXPECT_EQ(timeline.groupOf(8, 3), 1);
}

TEST_F(TimelineTest, FindsTheNewestOfATimeAndOfAPosition) {
  journal_.onMeta("mesh", "2:tp");
  add(EventKind::Step, 10, 90);
  add(EventKind::Compute, 20, 5, "1");
  add(EventKind::Compute, 30, 5);
  Timeline timeline(journal_);
  takeAll(timeline);
  const auto at = [&](int rank, std::int64_t time) {
    const auto span = timeline.newestAt(rank, time);
    return span ? span->event : 0;
  };
  EXPECT_EQ(at(0, 9), 0U);
  EXPECT_EQ(at(0, 10), 1U);
  EXPECT_EQ(at(0, 29), 1U);
  EXPECT_EQ(at(1, 20), 2U);
  EXPECT_EQ(at(1, 30), 3U);
  EXPECT_EQ(timeline.newestOf(0, 2)->event, 1U);
  EXPECT_EQ(timeline.newestOf(1, 2)->event, 2U);
  EXPECT_FALSE(timeline.newestOf(0, 0));
}

TEST_F(TimelineTest, OfSeveralProcessesShowsWaitingAndLateRanks) {
  journal_.onMeta("mesh", "3:tp");
  journal_.onMeta("backend", "gloo");
  add(EventKind::Compute, 0, 9);
  add(EventKind::Collective, 10, 30, "0-2");
  add(EventKind::Collective, 50, 20, "0,1|2");
  merge({{{1, 1}, {5, 4, 0}},
         {{2, 0}, {10, 30, 0}},
         {{2, 1}, {12, 28, 0}},
         {{2, 2}, {25, 16, 0}},
         {{3, 0}, {50, 20, 0}},
         {{3, 1}, {50, 20, 0}},
         {{3, 2}, {55, 1, 0}}});
  Timeline timeline(journal_);
  takeAll(timeline);
  EXPECT_EQ(lane(timeline, 0), "2 collective 10-40 waits 15, 3 collective 50-70");
  EXPECT_EQ(lane(timeline, 1), "1 compute 5-9, 2 collective 12-40 waits 13, 3 collective 50-70");
  EXPECT_EQ(lane(timeline, 2), "2 collective 25-41 late 15, 3 collective 55-56");
  const auto sum = timeline.columns(0, TimelineGrid(0, 100, 1)).front();
  EXPECT_EQ(sum.waiting, 15);
  EXPECT_EQ(sum.collectives[0], 35);
}

TEST_F(TimelineTest, WaitsForALateRankUntilItArrives) {
  journal_.onMeta("mesh", "2:tp");
  journal_.onMeta("backend", "gloo");
  add(EventKind::Collective, 10, Event::kRunning, "0,1");
  merge({{{1, 0}, {10, Event::kRunning, 0}}});
  Timeline timeline(journal_);
  takeAll(timeline);
  EXPECT_TRUE(timeline.hasRunning());
  EXPECT_EQ(lane(timeline, 0), "1 collective 10- waits on");
  EXPECT_EQ(lane(timeline, 1), "");
  parts_[{1, 0}].duration = 50;
  timeline.update();
  EXPECT_FALSE(timeline.hasRunning());
  EXPECT_EQ(lane(timeline, 0), "1 collective 10-60 waits 50");  // no longer running: it gave up
}

// Expects that a collective that two ranks enter at different times shows no waiting.
class TimelineWithoutClocks : public TimelineTest {
 protected:
  void expectNoWaiting() {
    journal_.onMeta("mesh", "2:tp");
    add(EventKind::Collective, 10, 30, "0,1");
    merge({{{1, 0}, {.time = 10, .duration = 30}},
           {{1, 1}, {.time = 5000, .duration = 30, .clock = 1, .error = EventPart::kUnknown}}});
    Timeline timeline(journal_);
    takeAll(timeline);
    EXPECT_EQ(lane(timeline, 0), "1 collective 10-40");
    EXPECT_EQ(lane(timeline, 1), "1 collective 5000-5030");
  }
};

TEST_F(TimelineWithoutClocks, OfAnImportedRun) {
  journal_.onMeta("imported", "kineto");
  expectNoWaiting();
}

TEST_F(TimelineWithoutClocks, OfARecordedJobWithoutAnchors) {
  journal_.onMeta("backend", "torch");
  expectNoWaiting();
}

TEST_F(TimelineTest, DrawsNoWaitThatIsShorterThanTheErrorOfTheClocks) {
  journal_.onMeta("mesh", "3:tp");
  add(EventKind::Collective, 10, 40, "0-2");
  add(EventKind::Collective, 60, 40, "0-2");
  const auto on = [](std::int64_t time, std::int64_t duration, int clock) {
    return EventPart{.time = time, .duration = duration, .clock = clock, .error = clock * 8};
  };
  merge({{{1, 0}, on(10, 40, 0)},
         {{1, 1}, on(16, 34, 0)},
         {{1, 2}, on(18, 32, 1)},
         {{2, 0}, on(60, 40, 0)},
         {{2, 1}, on(75, 25, 0)},
         {{2, 2}, on(69, 31, 1)}});
  Timeline timeline(journal_);
  takeAll(timeline);
  EXPECT_EQ(lane(timeline, 0), "1 collective 10-50, 2 collective 60-100 waits 15");
  EXPECT_EQ(lane(timeline, 1), "1 collective 16-50, 2 collective 75-100 late 15");
  EXPECT_EQ(lane(timeline, 2), "1 collective 18-50, 2 collective 69-100") << "6 of 8 unknown";
}

// The program computes while the collective is in progress, and is blocked at its end.
TEST_F(TimelineTest, WaitsOnlyWhileTheProgramIsBlocked) {
  journal_.onMeta("mesh", "2:tp");
  add(EventKind::Collective, 10, 90, "0,1");
  merge({{{1, 0}, {.time = 10, .duration = 90, .exposed = 60}},
         {{1, 1}, {.time = 70, .duration = 30, .exposed = 30}}});
  Timeline timeline(journal_);
  takeAll(timeline);
  EXPECT_EQ(lane(timeline, 0), "1 collective 10-100 waits 30");
  EXPECT_EQ(timeline.newestAt(0, 50)->waitBegin, 40);
  const auto columns = timeline.columns(0, TimelineGrid(0, 100, 10));
  EXPECT_EQ(columns[3].waiting, 0);
  EXPECT_EQ(columns[3].collectives[0], 10);
  EXPECT_EQ(columns[4].waiting, 10);
  EXPECT_EQ(columns[7].waiting, 0);
}

TEST_F(TimelineTest, ExposedIsTheTimeForWhichTheProgramIsBlocked) {
  journal_.onMeta("mesh", "2:tp");
  add(EventKind::Collective, 10, 90, "0,1");
  merge({{{1, 0}, {.time = 10, .duration = 90, .exposed = 60}},
         {{1, 1}, {.time = 70, .duration = 30}}});
  Timeline timeline(journal_);
  takeAll(timeline);
  EXPECT_EQ(timeline.columns(0, TimelineGrid(0, 100, 1)).front().exposed, 60);
  EXPECT_EQ(timeline.columns(1, TimelineGrid(0, 100, 1)).front().exposed, 30) << "all of it";
}

TEST_F(TimelineTest, ACollectiveOfAnImplicitRedistributionIsMarked) {
  journal_.onMeta("mesh", "2:tp");
  const auto inside = [this](Verdict verdict) {
    const EventId move = add(EventKind::Redistribute, 10, 50, "", verdict);
    Event event;
    event.kind = EventKind::Collective;
    event.parent = move;
    event.time = 20;
    event.duration = 30;
    journal_.onEvent(journal_.size() + 1, event, {});
  };
  inside(Verdict::Implicit);
  inside(Verdict::Explicit);
  Timeline timeline(journal_);
  takeAll(timeline);
  const auto spans = timeline.spans(0, 0, 100, 0);
  ASSERT_EQ(spans.size(), 4U);
  EXPECT_TRUE(spans[1].isImplicit);
  EXPECT_FALSE(spans[3].isImplicit);
  EXPECT_EQ(timeline.columns(0, TimelineGrid(0, 100, 1)).front().implicit, 30);
}

// "0+4 4+1 ...": the first lane of each row, and how many lanes it shows.
std::string rowsText(const TimelineRows& rows) {
  std::string text;
  for (std::int64_t row = 0; row < rows.size(); ++row) {
    text += fmt::format("{}{}+{}", row == 0 ? "" : " ", rows.at(row).lane, rows.at(row).lanes);
  }
  return text;
}

TEST_F(TimelineTest, FoldsIdenticalLanesOfManyRanks) {
  journal_.onMeta("mesh", "20:tp");
  add(EventKind::Compute, 10, 5, "0-19");
  add(EventKind::Compute, 20, 5, "4-6,8");
  Timeline timeline(journal_);
  takeAll(timeline);
  EXPECT_EQ(timeline.alike(), (std::vector<std::int64_t>{4, 3, 1, 1, 11}));
  TimelineRows rows;
  rows.update(timeline);
  EXPECT_EQ(rowsText(rows), "0+4 4+3 7+1 8+1 9+11");
  rows.toggle(1);
  EXPECT_EQ(rowsText(rows), "0+4 4+1 5+1 6+1 7+1 8+1 9+11");
  rows.update(timeline);
  EXPECT_EQ(rows.rowOf(5), 2);
  EXPECT_EQ(rows.rowOf(19), 6);
  EXPECT_FALSE(rows.at(3).isFirst);
  rows.toggle(3);  // any row of the run
  rows.toggle(2);  // a run of one lane
  EXPECT_EQ(rowsText(rows), "0+4 4+3 7+1 8+1 9+11");
}

TEST_F(TimelineTest, LanesOfFewRanksOrOfAMergedRunAreNotFolded) {
  journal_.onMeta("mesh", "4:tp");
  add(EventKind::Compute, 10, 5, "0-3");
  Timeline timeline(journal_);
  takeAll(timeline);
  TimelineRows rows;
  rows.update(timeline);
  EXPECT_EQ(rowsText(rows), "0+1 1+1 2+1 3+1");
  rows.toggle(2);
  EXPECT_EQ(rowsText(rows), "0+4");
  merge({});
  Timeline merged(journal_);
  EXPECT_EQ(merged.alike(), (std::vector<std::int64_t>{1, 1, 1, 1}));
}

// Collectives of the program do not have the index of a mesh dimension.
TEST_F(TimelineTest, CollectivesAreOfTheDimensionOfTheirGroup) {
  journal_.onMeta("mesh", "2x2:dp,tp");
  journal_.onString(1, "0,1");
  journal_.onString(2, R"({"axis": "tp"})");
  journal_.onString(3, R"({"axis": "dp_tp"})");
  Event event;
  event.kind = EventKind::Collective;
  event.ranks = 1;
  event.duration = 1;
  for (const StringId detail : {2, 3, 0}) {
    event.detail = detail;
    journal_.onEvent(journal_.size() + 1, event, {});
  }
  event.meshDim = 0;
  journal_.onEvent(journal_.size() + 1, event, {});
  Timeline timeline(journal_);
  takeAll(timeline);
  const auto axes = [&] {
    std::vector<int> all;
    for (const auto& span : timeline.spans(0, 0, TimelineSpan::kForever, 0))
      all.push_back(span.axis);
    return all;
  };
  constexpr int kOther = TimelineColumn::kAxes - 1;
  EXPECT_EQ(axes(), (std::vector{1, kOther, kOther, 0}));
}

TEST_F(TimelineTest, TotalsOfAnAreaAreByNameAndByRank) {
  journal_.onMeta("mesh", "3:tp");
  journal_.onMeta("backend", "gloo");
  journal_.onString(1, "mm");
  journal_.onString(2, "all_reduce");
  journal_.onString(3, "0-2");
  const auto named = [this](EventKind kind, StringId name, std::int64_t bytes) {
    Event event;
    event.kind = kind;
    event.name = name;
    event.bytes = bytes;
    event.meshDim = 0;
    event.ranks = kind == EventKind::Collective ? 3 : 0;
    journal_.onEvent(journal_.size() + 1, event, {});
  };
  named(EventKind::Compute, 1, 0);
  named(EventKind::Collective, 2, 64);
  named(EventKind::Compute, 1, 0);
  merge({{{1, 0}, {0, 10, 0}},
         {{1, 1}, {0, 20, 0}},
         {{2, 0}, {10, 30, 0}},
         {{2, 1}, {20, 20, 0}},
         {{2, 2}, {30, 10, 0}},
         {{3, 1}, {90, 10, 0}}});
  Timeline timeline(journal_);
  takeAll(timeline);
  const auto all = totalsOf(journal_, timeline, {5, 95, 0, 2});
  ASSERT_EQ(all.byName.size(), 2U);
  EXPECT_EQ(all.byName[0].name, "all_reduce");
  EXPECT_EQ(all.byName[0].events, 1);
  EXPECT_EQ(all.byName[0].time, 60);
  EXPECT_EQ(all.byName[0].waiting, 30);
  EXPECT_EQ(all.byName[0].bytes, 64);
  EXPECT_EQ(all.byName[0].longest, 2U);
  EXPECT_EQ(all.byName[1].name, "mm");
  EXPECT_EQ(all.byName[1].events, 2);
  EXPECT_EQ(all.byName[1].time, 5 + 15 + 5) << "cut at the edges of the area";
  EXPECT_EQ(all.byName[1].longest, 1U);
  ASSERT_EQ(all.byRank.size(), 3U);
  EXPECT_EQ(all.byRank[0].sum.compute, 5);
  EXPECT_EQ(all.byRank[0].sum.waiting, 20);
  EXPECT_EQ(all.byRank[1].sum.compute, 20);
  EXPECT_FALSE(all.isCut);
  const auto one = totalsOf(journal_, timeline, {0, 100, 2, 2});
  ASSERT_EQ(one.byName.size(), 1U);
  EXPECT_EQ(one.byName[0].time, 10);
  EXPECT_TRUE(totalsOf(journal_, timeline, {50, 50, 0, 2}).byName.empty());
}

TEST_F(TimelineTest, TotalsCountSpansOfASharedTrackForEachRank) {
  journal_.onMeta("mesh", "4:tp");
  journal_.onString(1, "mm");
  const auto compute = [this](std::int64_t time, std::string_view ranks) {
    add(EventKind::Compute, time, 5, ranks);
  };
  compute(10, "0-3");
  compute(20, "2");
  Timeline timeline(journal_);
  takeAll(timeline);
  const auto totals = totalsOf(journal_, timeline, {0, 100, 0, 3});
  ASSERT_EQ(totals.byName.size(), 1U);
  EXPECT_EQ(totals.byName[0].time, 4 * 5 + 5);
  EXPECT_EQ(totals.byName[0].events, 2);
  EXPECT_EQ(timeline.spans(2, 0, 100, 0, 1).size(), 1U);
  EXPECT_EQ(timeline.spans(2, 0, 100, 0).size(), 2U);
}

TEST_F(TimelineTest, GrowsWithItsRecording) {
  journal_.onMeta("mesh", "2:tp");
  add(EventKind::Step, 10, Event::kRunning);
  Timeline timeline(journal_);
  takeAll(timeline);
  EXPECT_EQ(lane(timeline, 0), "1 step 10-");
  add(EventKind::Compute, 20, 5);
  journal_.onEnd(1, 40);
  EXPECT_FALSE(timeline.take(10));
  timeline.update();
  EXPECT_EQ(lane(timeline, 0), "1 step 10-50, 2 compute 20-25");
  EXPECT_EQ(timeline.columns(0, TimelineGrid(0, 100, 1)).front().steps, 40);
}

TEST_F(TimelineTest, WithoutRanksOrTimesHasNone) {
  add(EventKind::Compute, 0, 0);
  Timeline unknown(journal_);
  EXPECT_FALSE(unknown.take(10));
  EXPECT_EQ(unknown.lanes(), 0);
  journal_.onMeta("mesh", "2:tp");
  Timeline timeline(journal_);
  takeAll(timeline);
  EXPECT_EQ(timeline.lanes(), 2);
  EXPECT_FALSE(timeline.hasTimes());
}

// The first leaves are cached while a member has not called their collectives.
TEST_F(TimelineTest, CachedWaitingFollowsLateMembers) {
  journal_.onMeta("mesh", "2:tp");
  journal_.onMeta("backend", "gloo");
  std::map<std::pair<EventId, int>, EventPart> parts;
  for (EventId id = 1; id <= 200; ++id) {
    add(EventKind::Collective, id * 10, 8, "0,1");
    parts[{id, 0}] = {id * 10, 8, 0};
    if (id > 60) parts[{id, 1}] = {id * 10, 8, 0};
  }
  merge(parts);
  Timeline cached(journal_);
  takeAll(cached);
  const TimelineGrid grid(0, 2100, 700);
  const auto before = cached.columns(0, grid);
  for (EventId id = 1; id <= 60; ++id) parts[{id, 1}] = {id * 10 + 3, 5, 0};
  merge(parts);
  cached.update();
  Timeline uncached(journal_);
  takeAll(uncached);
  EXPECT_NE(cached.columns(0, grid), before);
  EXPECT_EQ(cached.columns(0, grid), uncached.columns(0, grid));
}

}  // namespace
}  // namespace shardlens::view
