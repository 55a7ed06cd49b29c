// Tests the arrows of messages in the timeline.
#include "core/trace/journal/journal.h"
#include "core/view/timeline/timeline_rows.h"
#include "ui/scenes/theme.h"
#include "ui/scenes/timeline_scene.h"
#include "ui/widgets/timeline_paint.h"

#include <gtest/gtest.h>

#include <QImage>
#include <QPainter>
#include <algorithm>

namespace shardlens {
namespace {

// A send of rank 0 to rank 1, and another one whose recv is not recorded.
class TimelineOfMessages : public testing::Test {
 protected:
  void SetUp() override {
    journal.onMeta("mesh", "2:pp");
    const char* texts[] = {"0", "1", "send 0->1", "recv 1<-0", "0->1 tag 0"};
    for (StringId id = 1; id <= 5; ++id) journal.onString(id, texts[id - 1]);
    add(/*name=*/3, /*ranks=*/1, /*sequence=*/1, 0);
    add(/*name=*/4, /*ranks=*/2, /*sequence=*/1, 600);
    add(/*name=*/3, /*ranks=*/1, /*sequence=*/2, 800);
    view::Timeline timeline(journal);
    while (timeline.take(10)) continue;
    timeline.update();
    view::TimelineRows rows;
    rows.update(timeline);
    window.rows = 2;
    window.to = 1000;
    window.width = 500;
    scene = layoutTimeline(journal, timeline, rows, window, 1);
  }
  void add(StringId name, StringId ranks, std::uint32_t sequence, std::int64_t time) {
    Event event;
    event.kind = EventKind::Collective;
    event.name = name;
    event.ranks = ranks;
    event.group = 5;
    event.sequence = sequence;
    event.time = time;
    event.duration = 200;
    journal.onEvent(journal.size() + 1, event, {});
  }

  QImage draw() const {
    QImage image(600, 120, QImage::Format_RGB32);
    image.fill(theme().card);
    QPainter painter(&image);
    TimelinePaint{painter, window, QSizeF(600, 120)}.drawScene(scene);
    painter.end();
    return image;
  }

  Journal journal;
  TimelineWindow window;
  TimelineScene scene;
};

TEST_F(TimelineOfMessages, AnArrowGoesFromASendToItsRecv) {
  ASSERT_EQ(scene.lanes.size(), 2U);
  ASSERT_EQ(scene.flows.size(), 1U);
  const TimelineFlow& flow = scene.flows[0];
  EXPECT_EQ(flow.kind, TimelineFlow::Kind::Message);
  EXPECT_EQ(flow.event, 2U);
  EXPECT_EQ(flow.from, QPointF(0, scene.lanes[0].rect.center().y()));
  EXPECT_EQ(flow.to, QPointF(400, scene.lanes[1].rect.center().y()));
}

// Between the lanes, where nothing else is drawn, the line has the colour of messages.
TEST_F(TimelineOfMessages, TheArrowIsDrawn) {
  const QPointF middle = (scene.flows[0].from + scene.flows[0].to) / 2 +
                         QPointF(TimelinePaint::kLabels, TimelinePaint::kTop);
  const auto isDrawn = [&](const QImage& image) {
    for (int y = -2; y <= 2; ++y) {
      if (image.pixelColor(middle.toPoint() + QPoint(0, y)) != theme().card) return true;
    }
    return false;
  };
  EXPECT_TRUE(isDrawn(draw()));
  const QImage with = draw();
  scene.flows.clear();
  EXPECT_FALSE(isDrawn(draw()));
  EXPECT_NE(with, draw());
}

TEST_F(TimelineOfMessages, TextsAreAboveArrows) {
  const auto frame =
      std::ranges::find_if(scene.frames, [](auto& each) { return !each.text.isEmpty(); });
  ASSERT_NE(frame, scene.frames.end());
  const QPointF middle = frame->rect.center();
  scene.flows[0].from = QPointF(frame->rect.left(), middle.y());
  scene.flows[0].to = QPointF(frame->rect.right(), middle.y());
  const QImage with = draw();
  scene.flows.clear();
  const QImage without = draw();
  EXPECT_NE(with, without);
  int letters = 0;
  for (int y = 0; y < with.height(); ++y) {
    for (int x = 0; x < with.width(); ++x) {
      if (without.pixelColor(x, y) != theme().text) continue;
      ++letters;
      EXPECT_EQ(with.pixelColor(x, y), theme().text) << x << ", " << y;
    }
  }
  EXPECT_GT(letters, 0);
}

}  // namespace
}  // namespace shardlens
