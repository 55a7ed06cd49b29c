// Tests the texts of collectives that are too narrow for their names.
#include "ui/scenes/timeline_groups.h"

#include "tests/ui/support/drawn_texts.h"
#include "ui/scenes/timeline_texts.h"
#include "ui/widgets/timeline_paint.h"
#include "ui/widgets/timeline_words.h"

#include <gtest/gtest.h>

#include <QPainter>
#include <QWidget>
#include <optional>
#include <random>
#include <utility>

namespace shardlens {
namespace {

using Call = CollectiveKind;

// A recording of two ranks whose events last for microseconds.
class Calls {
 public:
  Calls() { journal.onMeta("mesh", "2:tp"); }

  void add(EventKind kind, Call call, std::int64_t time, std::int64_t duration) {
    Event event;
    event.kind = kind;
    event.subkind = static_cast<std::uint8_t>(call);
    event.time = time * 1000;
    event.duration = duration * 1000;
    event.bytes = kind == EventKind::Collective ? 2048 : 0;
    event.meshDim = 0;
    if (kind == EventKind::Step) event.step = steps_++;
    if (kind != EventKind::Collective) {
      if (journal.strings() == 0) journal.onString(1, "aten.scaled_dot_product");
      event.name = 1;
    }
    journal.onEvent(journal.size() + 1, event, {});
  }
  void addCalls(const std::vector<Call>& calls, std::int64_t begin, std::int64_t apart,
                std::int64_t duration) {
    for (const Call call : calls) {
      add(EventKind::Collective, call, std::exchange(begin, begin + apart), duration);
    }
  }

  // Lays out the microseconds from `from` to `to`.
  const TimelineScene& show(std::int64_t from, std::int64_t to, double width) {
    if (!timeline) {
      timeline.emplace(journal);
      while (timeline->take(100)) continue;
      timeline->update();
      rows_.update(*timeline);
    }
    window.from = from * 1000;
    window.to = to * 1000;
    window.width = width;
    window.rows = 2;
    return scene = layoutTimeline(journal, *timeline, rows_, window, 1);
  }
  QStringList frameTexts() const {
    QStringList texts;
    for (const TimelineFrame& frame : scene.frames) texts << frame.text;
    return texts;
  }
  QStringList groupTextsOf(int lane) const {
    QStringList texts;
    for (const TimelineGroup& group : scene.lanes.at(static_cast<std::size_t>(lane)).groups) {
      texts << group.text;
    }
    return texts;
  }

  Journal journal;
  std::optional<view::Timeline> timeline;
  TimelineWindow window;
  TimelineScene scene;

 private:
  view::TimelineRows rows_;
  int steps_ = 0;
};

TEST(TimelineGroups, CountNeighboursWithoutRoomForNames) {
  Calls on;
  on.addCalls(std::vector<Call>(12, Call::AllGather), 0, 10, 4);
  on.add(EventKind::Collective, Call::AllReduce, 500, 400);
  on.show(0, 1000, 2000);
  EXPECT_EQ(on.groupTextsOf(0), QStringList(QStringLiteral("12 × all_gather")));
  EXPECT_EQ(on.groupTextsOf(1), on.groupTextsOf(0));
  EXPECT_EQ(on.frameTexts(), QStringList(QStringLiteral("all_reduce  2.0 KiB")));
  on.show(0, 1000, 700);
  EXPECT_EQ(on.groupTextsOf(0), QStringList(QStringLiteral("12 × AG")));
  on.show(0, 1000, 100);  // too narrow for any text
  EXPECT_EQ(on.groupTextsOf(0), QStringList());
  on.show(0, 120, 1200);  // wide enough for abbreviations
  EXPECT_EQ(on.groupTextsOf(0), QStringList());
  EXPECT_EQ(on.frameTexts(), QStringList(12, QStringLiteral("AG")));
  on.show(0, 120, 3000);
  EXPECT_EQ(on.frameTexts(), QStringList(12, QStringLiteral("all_gather")));
}

TEST(TimelineGroups, NameUpToThreeKinds) {
  Calls on;
  const Call gather = Call::AllGather, scatter = Call::ReduceScatter, reduce = Call::AllReduce;
  on.addCalls({gather, scatter, gather, gather, scatter, gather}, 0, 30, 4);
  on.addCalls({gather, reduce, Call::Broadcast, Call::AllToAll, gather, reduce}, 500, 30, 4);
  on.show(0, 1000, 700);
  EXPECT_EQ(on.groupTextsOf(0), QStringList(QStringLiteral("6 × AG, RS")) +
                                    QStringList(QStringLiteral("6 collectives")));
}

// A collective without neighbours has its abbreviation beside it, in the first of its lanes.
TEST(TimelineGroups, ASingleCollectiveIsNamedBesideIt) {
  Calls on;
  on.add(EventKind::Collective, Call::AllReduce, 100, 8);
  on.show(0, 1000, 700);
  ASSERT_EQ(on.groupTextsOf(0), QStringList(QStringLiteral("AR")));
  EXPECT_EQ(on.groupTextsOf(1), QStringList());
  EXPECT_GT(on.scene.lanes[0].groups[0].room.left(), on.scene.frames[0].rect.right());
  Calls beside;  // work follows at once: there is no room
  beside.add(EventKind::Collective, Call::AllReduce, 100, 8);
  beside.add(EventKind::Compute, Call::Other, 109, 400);
  beside.show(0, 1000, 700);
  EXPECT_EQ(beside.groupTextsOf(0), QStringList());
}

TEST(TimelineGroups, TheTooltipHasTheExactSums) {
  Calls on;
  const Call gather = Call::AllGather, scatter = Call::ReduceScatter;
  on.addCalls({gather, scatter, gather, gather, scatter, gather}, 0, 30, 4);
  on.show(0, 1000, 700);
  ASSERT_EQ(on.scene.lanes[1].groups.size(), 1U);
  EXPECT_EQ(
      groupWords(on.journal, *on.timeline, 1, on.scene.lanes[1].groups[0]),
      QStringLiteral("4 × all_gather, 8.0 KiB, 16.0 us\n2 × reduce_scatter, 4.0 KiB, 8.0 us"));
}

// A narrow step shows its number.
TEST(TimelineGroups, NarrowStepsAreNumbered) {
  Calls on;
  for (int step = 0; step < 20; ++step) on.add(EventKind::Step, Call::Other, step * 50, 48);
  on.show(0, 1000, 700);
  ASSERT_EQ(on.scene.lanes[0].bars.size(), 20U);
  EXPECT_EQ(on.scene.lanes[0].bars[11].text, QStringLiteral("12"));
}

// Draws a scene.
class Picture final : public QWidget {
 public:
  explicit Picture(const Calls& of) : of_(of) {}

 protected:
  void paintEvent(QPaintEvent* /*event*/) override {
    QPainter painter(this);
    TimelinePaint{painter, of_.window, QSizeF(size())}.drawScene(of_.scene);
  }

 private:
  const Calls& of_;
};

TEST(TimelineGroups, NoTextCoversAnotherAndNoneIsElidedAtAnyWidthAndZoom) {
  Calls on;
  std::minstd_rand random(7);
  const auto among = [&](std::int64_t least, std::int64_t most) {
    return least + static_cast<std::int64_t>(random() % static_cast<unsigned>(most - least + 1));
  };
  std::int64_t time = 0;
  for (int step = 0; step < 20; ++step) {
    on.add(EventKind::Step, Call::Other, time, 400);
    on.add(EventKind::Operator, Call::Other, time + 5, among(20, 200));
    const std::int64_t count = among(1, 9);
    for (std::int64_t i = 0; i < count; ++i) {
      const auto call = static_cast<Call>(among(1, kCollectiveKinds - 1));
      on.add(EventKind::Collective, call, time + i * 40, among(1, 60));
    }
    time += 400;
  }
  int groups = 0;
  for (const int width : {320, 640, 900, 1280, 1680}) {
    for (const std::int64_t part : {1, 4, 16}) {
      on.show(0, time / part, width);
      for (const TimelineLane& lane : on.scene.lanes) {
        groups += static_cast<int>(lane.groups.size());
      }
      Picture picture(on);
      picture.resize(width + 80, 120);
      const auto texts = drawnTexts(picture);
      EXPECT_EQ(overlapIn(texts), "") << "width " << width << ", 1/" << part;
      for (const DrawnText& drawn : texts) {
        const auto dots = drawn.text.indexOf(u'…');
        EXPECT_TRUE(dots < 0 || dots == drawn.text.size() - 1) << drawn.text.toStdString();
      }
    }
  }
  EXPECT_GT(groups, 30);
}

}  // namespace
}  // namespace shardlens
