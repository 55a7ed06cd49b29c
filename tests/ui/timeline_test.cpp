// Tests the timeline in the window: the drawing, mouse and keys.
#include "core/query/language/similar_events.h"
#include "core/trace/file/trace_writer.h"
#include "tests/ui/support/long_run.h"
#include "tests/ui/support/window.h"
#include "ui/panels/panel.h"
#include "ui/panels/timeline_panel.h"
#include "ui/scenes/theme.h"
#include "ui/scenes/timeline_texts.h"
#include "ui/shell/picture.h"
#include "ui/widgets/table_view.h"
#include "ui/widgets/timeline_canvas.h"

#include <gtest/gtest.h>

#include <QApplication>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QDir>
#include <QDockWidget>
#include <QFile>
#include <QLineEdit>
#include <QMenu>
#include <QScrollBar>
#include <QWheelEvent>
#include <algorithm>

namespace shardlens {
namespace {

// Writes a step of 1 ms on this mesh: in each tenth a lookup and work for 50 us, and at the end
// `reductions` times an all_reduce of 100 us, all at the same time.
void writeRun(const QString& path, const char* mesh, int reductions = 1) {
  const auto writer = TraceWriter::create(path.toStdString(), SinkRequests{}).value();
  writer->onMeta("mesh", mesh);
  writer->onString(1, "train()");
  writer->onString(2, "local mm");
  writer->onString(3, "all_reduce");
  EventId id = 0;
  const auto add = [&](EventKind kind, StringId name, std::int64_t time, std::int64_t duration,
                       std::int64_t bytes = 0) {
    Event event;
    event.kind = kind;
    event.name = name;
    event.time = time;
    event.duration = duration;
    event.bytes = bytes;
    event.meshDim = 0;
    writer->onEvent(++id, event, {});
  };
  add(EventKind::Step, 1, 0, 1'000'000);
  for (int i = 0; i < 9; ++i) {
    add(EventKind::CacheLookup, 0, i * 100'000 + 10'000, 0);
    add(EventKind::Compute, 2, i * 100'000 + 20'000, 50'000);
  }
  for (int i = 0; i < reductions; ++i) add(EventKind::Collective, 3, 900'000, 100'000, 288);
  ASSERT_TRUE(writer->close());
}

struct OnTimeline : Window {
  explicit OnTimeline(const char* mesh = "4:tp", int reductions = 1) {
    window.resize(1700, 1050);
    writeRun(path("run.shardlens"), mesh, reductions);
    EXPECT_TRUE(open(path("run.shardlens")));
    raise();
  }
  void raise() {
    auto* dock = find<QDockWidget>("timelinePanelDock");
    dock->show();
    dock->raise();
    EXPECT_TRUE(QTest::qWaitFor([&] { return panel()->isComplete() && canvas()->isVisible(); }));
    window.grab();
    QCoreApplication::processEvents();
  }
  TimelinePanel* panel() { return find<TimelinePanel>("timelinePanel"); }
  TimelineCanvas* canvas() { return find<TimelineCanvas>("timelineCanvas"); }
  // Returns the point of a time in a lane.
  QPoint at(std::int64_t time, int lane = 0) {
    const auto& rect = canvas()->scene().lanes.at(static_cast<std::size_t>(lane)).rect;
    return QPointF(66 + canvas()->shown().xOf(time), 34 + rect.center().y()).toPoint();
  }
  QStringList menuAt(QPoint place, QContextMenuEvent::Reason reason) {
    delete find<QMenu>("panelMenu");
    QContextMenuEvent event(reason, place, canvas()->mapToGlobal(place));
    QApplication::sendEvent(canvas()->viewport(), &event);
    QStringList texts;
    for (const QAction* action : find<QMenu>("panelMenu")->actions()) texts << action->text();
    return texts;
  }
  void choose(QPoint place, const QString& text) {
    const auto row = menuAt(place, QContextMenuEvent::Mouse).indexOf(text);
    ASSERT_GE(row, 0) << qPrintable(text);
    find<QMenu>("panelMenu")->actions()[row]->trigger();
  }
  std::int64_t length() { return canvas()->shown().to - canvas()->shown().from; }
};

TEST(Timeline, DrawsALanePerRankAndCollectivesAcross) {
  OnTimeline on;
  const TimelineScene& scene = on.canvas()->scene();
  ASSERT_EQ(scene.lanes.size(), 4U);
  for (const TimelineLane& lane : scene.lanes) {
    EXPECT_EQ(lane.bars.size(), 11U);
    EXPECT_EQ(lane.moments.size(), 9U);
  }
  ASSERT_EQ(scene.frames.size(), 1U);
  EXPECT_LE(scene.frames[0].rect.top(), scene.lanes[0].rect.center().y());
  EXPECT_GE(scene.frames[0].rect.bottom(), scene.lanes[3].rect.center().y());
  EXPECT_TRUE(scene.frames[0].text.startsWith(QStringLiteral("all_red")));
  EXPECT_EQ(on.panel()->header()->note(),
            QStringLiteral("100 ns – 1.0 ms  ·  compute 450.0 us  ·  tp 100.0 us"));
  EXPECT_EQ(on.panel()->header()->detail(), QStringLiteral("one clock for all ranks"));
}

// 9 times 100 us are shorter than the visible time, 11 times are longer.
TEST(Timeline, SumsOfMoreThanTheVisibleTimeAreOfSeveralCollectivesAtATime) {
  OnTimeline few("4:tp", 9), many("4:tp", 11);
  EXPECT_TRUE(few.panel()->header()->note().endsWith(QStringLiteral("tp 900.0 us")));
  EXPECT_TRUE(
      many.panel()->header()->note().endsWith(QStringLiteral("tp 1.1 ms, several at a time")));
}

// Ranks that wait are grey to the right edge, and the rank that did not call the collective is
// marked there. The perspective is that of a hang: the timeline is in view.
TEST(Timeline, MarksWaitingAndMissingRanksOfAHang) {
  Window on;
  on.window.resize(1280, 720);
  const QDir samples(QStringLiteral(SHARDLENS_SOURCE_DIR "/tests/imports/samples/flight-hung"));
  ASSERT_TRUE(QDir(on.folder.path()).mkdir(QStringLiteral("hung")));
  for (const QString& name : samples.entryList({QStringLiteral("*.json")})) {
    ASSERT_TRUE(QFile::copy(samples.filePath(name), on.path("hung") + QStringLiteral("/") + name));
  }
  ASSERT_TRUE(on.open(on.path("hung")));
  auto* canvas = on.find<TimelineCanvas>("timelineCanvas");
  auto* panel = on.find<TimelinePanel>("timelinePanel");
  ASSERT_TRUE(QTest::qWaitFor([&] { return panel->isComplete() && canvas->isVisible(); }));
  EXPECT_FALSE(panel->visibleRegion().isEmpty());
  on.window.grab();
  const TimelineScene& scene = canvas->scene();
  ASSERT_EQ(scene.lanes.size(), 4U);
  for (const TimelineLane& lane : scene.lanes) {
    if (lane.rank == 2) {
      const auto fromIt = std::count_if(scene.flows.begin(), scene.flows.end(), [&](auto& flow) {
        return flow.kind == TimelineFlow::Kind::Missing &&
               flow.from.y() == lane.gaps[0].rect.center().y();
      });
      EXPECT_EQ(fromIt, 3) << "an arrow to each rank that waits";
      ASSERT_EQ(lane.gaps.size(), 1U);
      EXPECT_EQ(lane.gaps[0].rect.right(), canvas->shown().width);
      continue;
    }
    EXPECT_TRUE(lane.gaps.empty());
    ASSERT_FALSE(lane.bars.empty());
    EXPECT_TRUE(lane.bars.back().isWaiting);
    EXPECT_GE(lane.bars.back().rect.right(), canvas->shown().width);
  }
  for (const TimelineFrame& frame : scene.frames) {
    EXPECT_TRUE(!frame.isWaiting || frame.rect.height() >= 12) << "higher than the grey bar in it";
  }
  EXPECT_TRUE(std::ranges::any_of(scene.frames, &TimelineFrame::isWaiting));
}

// No side of a frame crosses a text: the text of a bar ends before it, that of a frame is in its
// widest part.
TEST(Timeline, NoTextCrossesTheSideOfAFrame) {
  const QFontMetricsF plain(textFont(11));
  const QString text = QStringLiteral("aten.embedding");
  const double width = plain.horizontalAdvance(text) + 1;
  TimelineScene scene;
  scene.lanes.resize(1);
  scene.lanes[0].bars.push_back({.rect = QRectF(0, 4, width, 14),
                                 .kind = view::SpanKind::Operator,
                                 .event = 1,
                                 .isWaiting = false,
                                 .isLate = false,
                                 .isImplicit = false,
                                 .room = QRectF(0, 4, width, 14),
                                 .text = text});
  const TimelineScene before = scene;
  scene.frames.push_back({QRectF(-400, 2, width + 390, 18), 2, 0, false, false, {}});
  separateTexts(scene, {});
  EXPECT_EQ(scene.lanes[0].bars[0].text, QStringLiteral("embedding")) << "before its right side";
  scene = before;
  scene.frames.push_back(
      {QRectF(width - 10, 2, 400, 18), 2, 0, false, false, QStringLiteral("all_reduce")});
  separateTexts(scene, {});
  EXPECT_EQ(scene.lanes[0].bars[0].text, QStringLiteral("embedding"));
  EXPECT_EQ(scene.frames[0].text, QStringLiteral("all_reduce"));
  scene.frames.push_back({QRectF(width + 150, 2, 400, 18), 3, 0, false, false, {}});
  separateTexts(scene, {});
  EXPECT_EQ(scene.frames[0].text, QStringLiteral("all_reduce"));
  EXPECT_GT(scene.frames[0].room.left(), width + 150);
}

// A text that does not fit is said in fewer words, and nothing is elided in its middle.
TEST(Timeline, ShortensTextsBeforeItElidesThem) {
  const QFontMetricsF bold(textFont(11, Weight::Bold));
  const auto shown = [&](const char* frame, double room) {
    TimelineScene scene;
    scene.lanes.resize(1);
    scene.frames.push_back(
        {QRectF(0, 0, room + 12, 20), 1, 0, false, false, QString::fromUtf8(frame)});
    separateTexts(scene, {});
    return scene.frames[0].text;
  };
  const auto wide = [&](const char* text) {
    return bold.horizontalAdvance(QString::fromUtf8(text)) + 1;
  };
  EXPECT_EQ(shown("all_reduce  288 B", wide("all_reduce  288 B")),
            QStringLiteral("all_reduce  288 B"));
  EXPECT_EQ(shown("all_reduce  288 B", wide("all_reduce")), QStringLiteral("all_reduce"));
  EXPECT_EQ(shown("aten.mul.Tensor", wide("mul.Tensor")), QStringLiteral("mul.Tensor"));
  EXPECT_EQ(shown("aten.mul.Tensor", wide("mul")), QStringLiteral("mul"));
  EXPECT_EQ(shown("x: (S(0), R) → (R, R)", wide("x: S0·R→R·R")), QStringLiteral("x: S0·R→R·R"));
  const QString cut = shown("reduce_scatter", wide("reduce_s"));
  EXPECT_TRUE(cut.startsWith(QStringLiteral("reduce")) && cut.endsWith(u'…')) << qPrintable(cut);
  EXPECT_EQ(shown("reduce_scatter", wide("re")), QString());
}

TEST(Timeline, ClickGoesToTheEventAndDragScrubs) {
  OnTimeline on;
  QWidget* place = on.canvas()->viewport();
  QTest::mouseClick(place, Qt::LeftButton, {}, on.at(345'000, 2));
  EXPECT_TRUE(on.shows(QStringLiteral("event 9 of 20")));  // the work from 320 us on
  QTest::mousePress(place, Qt::LeftButton, {}, on.at(345'000));
  QTest::mouseMove(place, on.at(515'000));
  EXPECT_TRUE(on.shows(QStringLiteral("event 12 of 20")));  // the lookup at 510 us
  QTest::mouseMove(place, on.at(950'000));
  EXPECT_TRUE(on.shows(QStringLiteral("event 20 of 20")));
  QTest::mouseRelease(place, Qt::LeftButton, {}, on.at(950'000));
  QTest::mouseMove(place, on.at(345'000));
  EXPECT_EQ(on.position(), QStringLiteral("event 20 of 20"));
}

TEST(Timeline, ADragWithShiftOrAlongTheScaleSelectsAnArea) {
  OnTimeline on;
  auto* canvas = on.canvas();
  auto* names = on.find<QuietTable>("totalsByName");
  const auto text = [&](int row, int column) {
    return names->model()->index(row, column).data().toString();
  };
  EXPECT_TRUE(names->isHidden() || !names->isVisible());
  QTest::mousePress(canvas->viewport(), Qt::LeftButton, Qt::ShiftModifier, on.at(900'000, 1));
  QTest::mouseMove(canvas->viewport(), on.at(1'000'000, 2));
  QTest::mouseRelease(canvas->viewport(), Qt::LeftButton, {}, on.at(1'000'000, 2));
  ASSERT_TRUE(canvas->area());
  EXPECT_EQ(canvas->area()->firstLane, 1);
  EXPECT_EQ(canvas->area()->lastLane, 2);
  EXPECT_NEAR(static_cast<double>(canvas->area()->from), 900'000, 2000);
  EXPECT_TRUE(names->isVisible());
  EXPECT_EQ(text(1, 0), QStringLiteral("all_reduce"));  // after the step
  EXPECT_EQ(text(1, 1), QStringLiteral("collective"));
  EXPECT_EQ(text(1, 5), QStringLiteral("288 B"));
  EXPECT_EQ(on.find<QuietTable>("totalsByRank")->model()->rowCount(), 2);
  EXPECT_EQ(on.position(), QStringLiteral("event 20 of 20"));

  const auto onScale = [&](std::int64_t time) { return QPoint(on.at(time).x(), 8); };
  QTest::mousePress(canvas->viewport(), Qt::LeftButton, {}, onScale(300'000));
  QTest::mouseMove(canvas->viewport(), onScale(100'000));  // backwards
  QTest::mouseRelease(canvas->viewport(), Qt::LeftButton, {}, onScale(100'000));
  EXPECT_EQ(canvas->area()->firstLane, 0);
  EXPECT_EQ(canvas->area()->lastLane, 3);
  EXPECT_NEAR(static_cast<double>(canvas->area()->to), 300'000, 2000);
  on.click("closeArea");
  EXPECT_FALSE(canvas->area());
  EXPECT_FALSE(names->isVisible());
}

TEST(Timeline, KeysSelectAnAreaFromThePositionToAnother) {
  OnTimeline on;
  auto* canvas = on.canvas();
  canvas->setFocus();
  on.window.cursor().moveTo(3);  // work from 20 us on
  ASSERT_TRUE(on.shows(QStringLiteral("event 3 of 20")));
  QTest::keyClick(canvas, Qt::Key_BracketLeft);
  on.window.cursor().moveTo(9);  // work from 320 us to 370 us
  ASSERT_TRUE(on.shows(QStringLiteral("event 9 of 20")));
  QTest::keyClick(canvas, Qt::Key_BracketRight);
  ASSERT_TRUE(canvas->area());
  EXPECT_EQ(*canvas->area(), (view::TimelineArea{20'000, 370'000, 0, 3}));
  auto* names = on.find<QuietTable>("totalsByName");
  const QModelIndex work = names->model()->index(1, 3);
  EXPECT_EQ(work.sibling(1, 0).data().toString(), QStringLiteral("local mm"));
  EXPECT_EQ(work.data().toString(), QStringLiteral("800.0 us"));  // 4 times 50 us on 4 ranks
  QTest::keyClick(canvas, Qt::Key_Escape);
  EXPECT_FALSE(canvas->area());
}

TEST(Timeline, ShowsExposedCommunication) {
  OnTimeline on;
  const auto& scene = on.canvas()->scene();
  const auto at = [&](std::int64_t time) {
    return scene.exposed.at(static_cast<std::size_t>(on.canvas()->shown().xOf(time)));
  };
  EXPECT_DOUBLE_EQ(at(500'000), 0);
  EXPECT_NEAR(at(950'000), 1, 0.01);
}

TEST(Timeline, TooltipDescribesTheSpan) {
  OnTimeline on;
  EXPECT_EQ(on.canvas()->words(on.at(345'000, 1)),
            QStringLiteral("local mm\nrank 1 at 320.0 us, for 50.0 us"));
  EXPECT_TRUE(on.canvas()->words(on.at(310'000)).endsWith(QStringLiteral("rank 0 at 310.0 us")));
  EXPECT_TRUE(on.canvas()->words(on.at(285'000)).endsWith(QStringLiteral("for 1.0 ms")));
  EXPECT_EQ(on.canvas()->words(QPointF(20, 40)), QString());
}

TEST(Timeline, SpanMenuOffersEventAndRank) {
  OnTimeline on;
  const QPoint work = on.at(345'000, 2);  // event 9
  const QString words = on.canvas()->words(work);
  const auto query = QString::fromStdString(similarEvents(on.window.cursor().journal(), 9));
  on.choose(work, QStringLiteral("Filter by this event"));
  EXPECT_EQ(on.find<QLineEdit>("stepsFilter")->text(), query);
  EXPECT_EQ(on.window.breakpoints().rowCount(), 0);
  on.choose(work, QStringLiteral("Break on this event"));
  EXPECT_EQ(on.window.breakpoints().stateOf(query), true);
  on.choose(work, QStringLiteral("Filter by this rank"));
  EXPECT_EQ(on.find<QLineEdit>("stepsFilter")->text(), QStringLiteral("rank:2"));
  on.choose(work, QStringLiteral("Copy"));
  EXPECT_EQ(QApplication::clipboard()->text(), words);
  on.choose(work, QStringLiteral("Go to event"));
  EXPECT_TRUE(on.shows(QStringLiteral("event 9 of 20")));
  const QStringList ofName = on.menuAt({20, on.at(0, 1).y()}, QContextMenuEvent::Mouse);
  EXPECT_TRUE(ofName.contains(QStringLiteral("Break on this rank")));
  EXPECT_FALSE(ofName.contains(QStringLiteral("Go to event")));
}

TEST(Timeline, MenuKeyOpensAtThePosition) {
  OnTimeline on;
  on.window.cursor().moveTo(9);
  on.window.redraw();
  on.canvas()->setFocus();
  const QRect place = on.canvas()->inputMethodQuery(Qt::ImCursorRectangle).toRect();
  EXPECT_EQ(on.canvas()->rankAt(place.center()), 0);
  EXPECT_NEAR(place.center().x(), on.at(320'000).x(), 1);
  EXPECT_TRUE(on.menuAt(place.center(), QContextMenuEvent::Keyboard)
                  .contains(QStringLiteral("Filter by this event")));
}

TEST(Timeline, KeysZoomAndPanAndReturn) {
  OnTimeline on;
  auto* canvas = on.canvas();
  canvas->setFocus();
  const std::int64_t all = on.length();
  QTest::keyClick(canvas, Qt::Key_Plus);
  EXPECT_NEAR(static_cast<double>(on.length()), static_cast<double>(all) / 1.5, 2);
  QTest::keyClick(canvas, Qt::Key_Plus);
  const std::int64_t twice = on.length();
  EXPECT_NEAR(static_cast<double>(twice), static_cast<double>(all) / 2.25, 3);
  const std::int64_t from = canvas->shown().from;
  QTest::keyClick(canvas, Qt::Key_Left, Qt::ShiftModifier);
  EXPECT_NEAR(static_cast<double>(from - canvas->shown().from), static_cast<double>(twice) / 10, 2);
  EXPECT_EQ(on.length(), twice);
  for (int i = 0; i < 60; ++i) {
    QTest::keyClick(canvas, Qt::Key_Plus);
  }
  EXPECT_EQ(on.length(), 1);
  for (int i = 0; i < 120; ++i) {
    QTest::keyClick(canvas, Qt::Key_Minus);
  }
  EXPECT_GE(on.length(), 1'000'000);
  EXPECT_LE(on.length(), 1'100'000);
  QTest::keyClick(canvas, Qt::Key_0);
  EXPECT_EQ(on.length(), all);
}

TEST(Timeline, FollowsAnInvisiblePosition) {
  OnTimeline on;
  auto* canvas = on.canvas();
  on.window.cursor().moveTo(3);
  ASSERT_TRUE(on.shows(QStringLiteral("event 3 of 20")));
  canvas->setFocus();
  for (int i = 0; i < 8; ++i) {
    QTest::keyClick(canvas, Qt::Key_Plus);
  }
  const auto shows = [&](std::int64_t time) {
    return canvas->shown().from <= time && time < canvas->shown().to;
  };
  EXPECT_TRUE(shows(20'000));
  QTest::keyClick(canvas, Qt::Key_End);  // a key of the window
  ASSERT_TRUE(on.shows(QStringLiteral("event 20 of 20")));
  EXPECT_TRUE(shows(900'000));
  for (int i = 0; i < 12; ++i) {
    QTest::keyClick(canvas, Qt::Key_Left, Qt::ShiftModifier);
  }
  EXPECT_FALSE(shows(900'000));
  QTest::keyClick(canvas, Qt::Key_Return);
  EXPECT_TRUE(shows(900'000));
}

// A step moves only the mark and does not lay out the timeline again.
TEST(Timeline, StepMovesOnlyTheMark) {
  OnTimeline on;
  const auto mark = [&] { return on.canvas()->scene().lanes.front().mark; };
  const auto columns = [&] { return on.canvas()->scene().lanes.front().columns.data(); };
  on.window.cursor().moveTo(3);
  ASSERT_TRUE(on.shows(QStringLiteral("event 3 of 20")));
  const auto* laid = columns();
  EXPECT_DOUBLE_EQ(mark(), on.canvas()->shown().xOf(20'000));
  on.window.cursor().moveTo(20);
  ASSERT_TRUE(on.shows(QStringLiteral("event 20 of 20")));
  EXPECT_DOUBLE_EQ(mark(), on.canvas()->shown().xOf(900'000));
  EXPECT_EQ(columns(), laid);
  on.canvas()->zoomBy(2, 66 + mark());
  EXPECT_DOUBLE_EQ(mark(), on.canvas()->shown().xOf(900'000));
  EXPECT_NE(columns(), laid);
}

TEST(Timeline, TheWheelZoomsAroundThePointerAndWithShiftPans) {
  OnTimeline on;
  auto* canvas = on.canvas();
  const auto turn = [&](QPointF place, Qt::KeyboardModifiers modifiers) {
    QWheelEvent event(place, canvas->viewport()->mapToGlobal(place), {}, {0, 120}, Qt::NoButton,
                      modifiers, Qt::NoScrollPhase, false);
    QCoreApplication::sendEvent(canvas->viewport(), &event);
  };
  const QPointF place = on.at(700'000);
  const std::int64_t all = on.length();
  turn(place, Qt::NoModifier);
  EXPECT_NEAR(static_cast<double>(on.length()), static_cast<double>(all) / 1.25, 2);
  EXPECT_NEAR(on.at(700'000).x(), place.x(), 1);
  turn(place, Qt::ShiftModifier);
  EXPECT_NEAR(on.at(700'000).x(), place.x() + 60, 1);
  QTest::mousePress(canvas->viewport(), Qt::MiddleButton, {}, place.toPoint());
  QMouseEvent move(QEvent::MouseMove, place - QPointF(60, 0),
                   canvas->viewport()->mapToGlobal(place - QPointF(60, 0)), Qt::NoButton,
                   Qt::MiddleButton, Qt::NoModifier);
  QCoreApplication::sendEvent(canvas->viewport(), &move);
  EXPECT_NEAR(on.at(700'000).x(), place.x(), 1);
}

TEST(Timeline, ReadsManySpansInSlicesBeforeItLaysThemOut) {
  OnTimeline on("4:tp", 4000);
  const Journal& journal = on.window.document()->journal();
  struct Drawn {
    explicit Drawn(const Journal& journal) : timeline(journal) {
      while (timeline.take(1000)) continue;
      timeline.update();
      canvas.resize(800, 300);
      canvas.setTimeline(&journal, &timeline);
    }
    view::Timeline timeline;
    TimelineCanvas canvas;
  };
  Drawn slices(journal), atOnce(journal);
  EXPECT_EQ(atOnce.canvas.scene().lanes.size(), 4U);
  const QImage expected = atOnce.canvas.grab().toImage();
  EXPECT_FALSE(atOnce.canvas.isReading());
  EXPECT_NE(slices.canvas.grab().toImage(), expected);
  EXPECT_TRUE(slices.canvas.isReading());
  EXPECT_TRUE(QTest::qWaitFor([&] { return !slices.canvas.isReading(); }));
  EXPECT_EQ(slices.canvas.grab().toImage(), expected);
}

// A picture does not wait for the slices. A new timeline has cached no spans.
TEST(Timeline, IsCompleteInAPicture) {
  OnTimeline on("4:tp", 4000);
  const Journal& journal = on.window.document()->journal();
  view::Timeline timeline(journal);
  while (timeline.take(1000)) continue;
  timeline.update();
  on.canvas()->setTimeline(&journal, &timeline);
  const auto picture = [&] {
    EXPECT_TRUE(drawPicture(on.window, on.path("timeline.png"), QStringLiteral("timeline")));
    return QImage(on.path("timeline.png"));
  };
  const QImage atOnce = picture();
  EXPECT_FALSE(on.canvas()->isReading());
  on.canvas()->scene();
  EXPECT_EQ(atOnce, picture());
  on.canvas()->setTimeline(nullptr, nullptr);
}

// Identical ranks are one row, which a click on its name unfolds.
TEST(Timeline, LanesOfManyRanksAreFoldedAndScroll) {
  OnTimeline on("4096:tp");
  auto* canvas = on.canvas();
  ASSERT_EQ(canvas->scene().lanes.size(), 1U);
  EXPECT_EQ(canvas->scene().lanes[0].row.lanes, 4096);
  const QPoint name(20, on.at(0).y());
  QTest::mousePress(canvas->viewport(), Qt::LeftButton, {}, name);
  QTest::mouseMove(canvas->viewport(), name + QPoint(1, 0));
  QTest::mouseRelease(canvas->viewport(), Qt::LeftButton, {}, name);
  EXPECT_EQ(on.window.cursor().position(), 20U);
  EXPECT_LT(canvas->scene().lanes.size(), 100U);
  EXPECT_EQ(canvas->scene().lanes.front().rank, 0);
  canvas->verticalScrollBar()->setValue(canvas->verticalScrollBar()->maximum());
  EXPECT_EQ(canvas->scene().lanes.back().rank, 4095);
}

// When the position moves to ranks that are not visible, the lanes scroll to them.
TEST(Timeline, ScrollsToTheRanksOfTheEvent) {
  Window on;
  on.window.resize(1280, 720);
  const QString path = on.path("run.shardlens");
  const auto writer = TraceWriter::create(path.toStdString(), SinkRequests{}).value();
  writer->onMeta("mesh", "64:tp");
  for (StringId rank = 0; rank < 64; ++rank) {
    writer->onString(rank + 1, std::to_string(rank));
    Event event;
    event.kind = EventKind::Compute;
    event.ranks = rank + 1;
    event.time = 1000 * rank;
    event.duration = 500;
    writer->onEvent(rank + 1, event, {});
  }
  ASSERT_TRUE(writer->close());
  ASSERT_TRUE(on.open(path));
  auto* dock = on.find<QDockWidget>("timelinePanelDock");
  dock->show();
  dock->raise();
  auto* canvas = on.find<TimelineCanvas>("timelineCanvas");
  const auto* panel = on.find<TimelinePanel>("timelinePanel");
  ASSERT_TRUE(QTest::qWaitFor([&] { return panel->isComplete() && canvas->isVisible(); }));
  const auto shows = [&](int rank) {
    return std::ranges::any_of(canvas->scene().lanes,
                               [rank](const TimelineLane& lane) { return lane.rank == rank; });
  };
  on.window.cursor().moveTo(1);
  ASSERT_TRUE(on.shows(QStringLiteral("event 1 of 64")));
  EXPECT_TRUE(QTest::qWaitFor([&] { return shows(0); }));
  EXPECT_FALSE(shows(50));
  on.window.cursor().moveTo(51);
  ASSERT_TRUE(on.shows(QStringLiteral("event 51 of 64")));
  EXPECT_TRUE(QTest::qWaitFor([&] { return shows(50); }));
}

TEST(Timeline, EmptyTextNamesTheReason) {
  Window on;
  const auto writer =
      TraceWriter::create(on.path("run.shardlens").toStdString(), SinkRequests{}).value();
  writer->onMeta("mesh", "2:tp");
  Event event;
  event.kind = EventKind::Compute;
  writer->onEvent(1, event, {});
  ASSERT_TRUE(writer->close());
  ASSERT_TRUE(on.open(on.path("run.shardlens")));
  auto* panel = on.find<TimelinePanel>("timelinePanel");
  EXPECT_TRUE(QTest::qWaitFor([&] { return panel->isComplete(); }));
  EXPECT_TRUE(on.find<TimelineCanvas>("timelineCanvas")->isHidden());
  EXPECT_TRUE(on.find<QLabel>("noTimeline")->text().contains(QStringLiteral("no times")));
}

TEST(Timeline, LongRunIsDrawnByPixels) {
  Window on;
  on.window.resize(1700, 1050);
  LongRun::write(on.path("run.shardlens"));
  ASSERT_TRUE(on.open(on.path("run.shardlens")));
  const auto* panel = on.find<TimelinePanel>("timelinePanel");
  auto* canvas = on.find<TimelineCanvas>("timelineCanvas");
  EXPECT_TRUE(QTest::qWaitFor([&] { return !canvas->isHidden() && panel->isComplete(); }, 60000));
  for (int zoom = 0; zoom < 40; ++zoom) {
    const TimelineScene& scene = canvas->scene();
    ASSERT_FALSE(scene.lanes.empty());
    for (const TimelineLane& lane : scene.lanes) {
      EXPECT_LT(static_cast<double>(lane.bars.size()), 3 * canvas->shown().width);
      EXPECT_LT(static_cast<double>(lane.moments.size()), canvas->shown().width / 8);
    }
    canvas->zoomBy(1.6, canvas->width() / 2.0);
  }
}

}  // namespace
}  // namespace shardlens
