// Tests the marks of ranks whose recordings end before those of other ranks.
#include "core/trace/recorder/event_makers.h"
#include "core/view/timeline/timeline_rows.h"
#include "core/view/words/early_end.h"
#include "ui/scenes/timeline_scene.h"

#include <gtest/gtest.h>

namespace shardlens {
namespace {

// Rank 1 raises an error at 150 ns, which is merged after the collective. Rank 0 calls a collective
// with it and fails at 700 ns.
class TimelineOfEnds : public testing::Test {
 protected:
  TimelineOfEnds() {
    recorder_.addSink(journal_);
    recorder_.meta("mesh", "2:tp");
    recorder_.meta("hosted", "0-1");
    const EventId product = recorder_.note(makeOperator(recorder_, "aten.mm"));
    call_ = recorder_.note(
        makeCollective(recorder_, CollectiveKind::AllReduce, "0,1", 0, 8, {.axis = "tp"}));
    error_ = recorder_.note(makeError(recorder_, "ValueError: 7 rows"));
    const EventId closed = recorder_.note(makeError(recorder_, "Connection closed by peer"));
    journal_.setPartLookup([=, this](EventId id, int rank) -> std::optional<EventPart> {
      if (id == product) return EventPart{.time = 0, .duration = 100};
      if (id == error_ && rank == 1) return EventPart{.time = 150, .duration = 0};
      if (id == call_ && rank == 0) return EventPart{.time = 300, .duration = 400};
      if (id == closed && rank == 0) return EventPart{.time = 700, .duration = 0};
      return std::nullopt;
    });
  }

  Journal journal_;
  Recorder recorder_;
  EventId error_ = 0, call_ = 0;
};

TEST_F(TimelineOfEnds, AnEarlyEndHasTheErrorAndTheMissedCollective) {
  const auto end = view::earlyEndOf(journal_, 1);
  ASSERT_TRUE(end);
  EXPECT_EQ(end->time, 150);
  EXPECT_EQ(end->error, error_);
  EXPECT_EQ(end->missed, call_);
  EXPECT_EQ(view::earlyEndText(journal_, *end),
            "raised ValueError: 7 rows; did not call all_reduce over tp");
  EXPECT_FALSE(view::earlyEndOf(journal_, 0)) << "no rank calls a collective after it";
}

TEST_F(TimelineOfEnds, ARankThatEndsEarlyIsMarkedToTheRightEdge) {
  view::Timeline timeline(journal_);
  while (timeline.take(10)) continue;
  timeline.update();
  view::TimelineRows rows;
  rows.update(timeline);
  TimelineWindow window;
  window.rows = 2;
  window.to = 1000;
  window.width = 500;
  const TimelineScene scene = layoutTimeline(journal_, timeline, rows, window, 1);
  ASSERT_EQ(scene.lanes.size(), 2U);
  EXPECT_TRUE(scene.lanes[0].gaps.empty());
  ASSERT_EQ(scene.lanes[1].gaps.size(), 1U);
  const TimelineGap& gap = scene.lanes[1].gaps[0];
  EXPECT_EQ(gap.rect.left(), 75);
  EXPECT_EQ(gap.rect.right(), 500);
  EXPECT_EQ(gap.text, QStringLiteral("ended by error"));
  EXPECT_EQ(gap.words,
            QStringLiteral("raised ValueError: 7 rows; did not call all_reduce over tp"));
}

}  // namespace
}  // namespace shardlens
