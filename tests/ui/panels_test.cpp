#include "core/trace/file/trace_writer.h"
#include "core/trace/journal/event_makers.h"
#include "core/trace/snapshot/state_index.h"
#include "tests/ui/support/lookup_run.h"
#include "tests/ui/support/window.h"
#include "ui/panels/buffers_panel.h"
#include "ui/panels/caches_panel.h"
#include "ui/panels/mesh_panel.h"
#include "ui/panels/program_panel.h"
#include "ui/panels/shards_panel.h"
#include "ui/panels/why_panel.h"
#include "ui/text/empty_journal.h"
#include "ui/widgets/caches_chart.h"
#include "ui/widgets/refcount_chart.h"
#include "ui/widgets/shards_canvas.h"
#include "ui/widgets/whole_canvas.h"

#include <gmock/gmock.h>

#include <QAbstractScrollArea>
#include <QComboBox>
#include <QLabel>
#include <QLineSeries>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTableView>
#include <QToolButton>
#include <array>
#include <cmath>
#include <cstring>

namespace shardlens {
namespace {

// A recording of which the window shows the position of the nth event of a kind.
struct At : Window {
  explicit At(EventKind kind, int nth = 0) {
    recordLookup(journal);
    writeLookup(path("run.shardlens"));
    open(path("run.shardlens"));
    go(kind, nth);
  }
  void go(EventKind kind, int nth = 0) {
    position_ = LookupRun::find(journal, kind, nth);
    window.cursor().moveTo(position_);
    EXPECT_TRUE(shows(QStringLiteral("event %1 of 25").arg(position_)));
  }
  Journal journal;
  EventId position_ = 0;
};

TEST(Panels, ShardsFollowTheStep) {
  At at(EventKind::Result, 0);
  const auto* header = at.find<ShardsPanel>("shardsPanel")->header();
  EXPECT_EQ(header->detail(), QStringLiteral("w  ·  f32[10, 3]  ·  S(0)"));
  at.go(EventKind::Result, 3);
  EXPECT_EQ(header->detail(), QStringLiteral("y  ·  f32[6, 3]  ·  MaskP(sum, [10, 3], 0)"));
  EXPECT_EQ(at.find<ShardsCanvas>("shardsCanvas")->scene().cards.size(), 4U);
}

TEST(Panels, AChosenTensorStays) {
  At at(EventKind::Result, 3);
  auto* choice = at.find<QComboBox>("tensorChoice");
  choice->setCurrentIndex(1);
  const auto* header = at.find<ShardsPanel>("shardsPanel")->header();
  EXPECT_EQ(header->detail(), QStringLiteral("w  ·  f32[10, 3]  ·  S(0)"));
  at.go(EventKind::Result, 4);
  EXPECT_EQ(header->detail(), QStringLiteral("w  ·  f32[10, 3]  ·  S(0)"));
}

TEST(Panels, ACellTellsWhereItIs) {
  At at(EventKind::Result, 0);
  const auto* canvas = at.find<ShardsCanvas>("shardsCanvas");
  const ShardCell& cell = canvas->scene().cards[1].cells[4];
  const QString words = canvas->words(cell.rect.center() + QPointF(12, 12));
  EXPECT_TRUE(words.contains(QStringLiteral("rank 1, local [1, 1] = -0.97"))) << qPrintable(words);
  EXPECT_TRUE(words.contains(QStringLiteral("global [4, 1]"))) << qPrintable(words);
}

TEST(Panels, ACellSpeaksForTheRanksThatHoldIt) {
  Journal journal;
  recordTensor(journal, "4:tp", {2, 2}, {Replicate{}});
  ValueRecord other = *journal.value(1, 2, journal.size());
  auto bytes = *other.data;
  const float wrong = 5.5F;
  std::memcpy(bytes.data() + 3 * sizeof(float), &wrong, sizeof(float));
  other.data = std::make_shared<std::vector<std::byte>>(bytes);
  journal.onValue(other);
  StateIndex states(journal);
  const Snapshot& snapshot = states.at(journal.size());
  ShardsCanvas canvas;
  canvas.setRoom(QSize(700, 300));
  canvas.setTensor(journal, snapshot, viewTensor(journal, snapshot, 1), TensorSlice({2, 2}));
  const auto words = [&](std::size_t card) {
    return canvas.words(canvas.scene().cards[card].cells[3].rect.center() + QPointF(12, 12));
  };
  EXPECT_EQ(words(0), QStringLiteral("ranks 0, 1, 3, local [1, 1] = 3\nglobal [1, 1]"));
  EXPECT_EQ(words(1),
            QStringLiteral("rank 2, local [1, 1] = 5.5\nglobal [1, 1]\nrank 0 has 3 there"));
  WholeCanvas whole;
  whole.setTensor(journal, snapshot, viewTensor(journal, snapshot, 1));
  EXPECT_EQ(whole.verdict(), QStringLiteral("copies differ: rank 2 at [1, 1]: 5.5, not 3"));
}

TEST(Panels, ACellSpeaksForNoRankWhoseValuesAreElsewhere) {
  Journal journal;
  recordTensor(journal, "4:tp", {2, 2}, {Replicate{}}, {{}, "1"});
  StateIndex states(journal);
  const Snapshot& snapshot = states.at(journal.size());
  ShardsCanvas canvas;
  canvas.setRoom(QSize(700, 300));
  canvas.setTensor(journal, snapshot, viewTensor(journal, snapshot, 1), TensorSlice({2, 2}));
  const QPointF place = canvas.scene().cards[0].cells[0].rect.center() + QPointF(12, 12);
  EXPECT_EQ(canvas.words(place), QStringLiteral("rank 1, local [0, 0] = 0\nglobal [0, 0]"));
}

TEST(Panels, WhatIsNotANumberIsNotGreen) {
  Journal journal;
  recordTensor(journal, "2:tp", {2}, {Partial{}});
  ValueRecord other = *journal.value(1, 1, journal.size());
  const std::array<float, 2> values{INFINITY, NAN};
  auto bytes = std::make_shared<std::vector<std::byte>>(sizeof(values));
  std::memcpy(bytes->data(), values.data(), sizeof(values));
  other.data = bytes;
  journal.onValue(other);
  StateIndex states(journal);
  const Snapshot& snapshot = states.at(journal.size());
  WholeCanvas whole;
  whole.setTensor(journal, snapshot, viewTensor(journal, snapshot, 1));
  EXPECT_EQ(whole.verdict(),
            QStringLiteral("1 not a number, 1 infinite · 2 terms make every element"));
}

TEST(Panels, OfMaskedIdsNoSumIsPredicted) {
  At at(EventKind::Result, 2);
  const auto* header = at.find<ShardsPanel>("shardsPanel")->header();
  EXPECT_TRUE(header->detail().startsWith(QStringLiteral("x'")));
  const auto* whole = at.find<WholeCanvas>("wholeCanvas");
  EXPECT_EQ(whole->heading(), QStringLiteral("Reassembled"));
  EXPECT_EQ(whole->verdict(),
            QStringLiteral("ids as each rank counts its own rows: they are never summed"));
}

TEST(Panels, HuesAreOfRowsWhereTheyCanBeToldApart) {
  const auto note = [](Shape shape) {
    Journal journal;
    recordTensor(journal, "2:tp", std::move(shape), {Replicate{}});
    StateIndex states(journal);
    ShardsPanel shards;
    shards.setSnapshot(journal, states.at(journal.size()));
    const QString text = shards.header()->note();
    delete shards.header();  // a dock would own it
    return text;
  };
  EXPECT_EQ(note({48, 2}), QStringLiteral("each hue is one row"));
  EXPECT_EQ(note({49, 2}), QStringLiteral("hues run along the rows"));
  EXPECT_EQ(note({4}), QStringLiteral("each hue is one element"));
  EXPECT_EQ(note({4, 2, 2}), QStringLiteral("each hue is one index of all dims but the last"));
  EXPECT_EQ(note({}), QString());
}

TEST(Panels, AMeshOfMillionsIsScrolled) {
  Journal journal;
  recordTensor(journal, "4:tp", {8}, {Shard{0}});
  journal.onMeta("mesh", "4096x4096:dp,tp");
  journal.onMeta("backend", "dry");
  StateIndex states(journal);
  MeshPanel mesh;
  mesh.resize(320, 240);
  mesh.show();
  mesh.setSnapshot(journal, states.at(journal.size()));
  EXPECT_EQ(mesh.header()->note(), QStringLiteral("16777216 ranks, dry"));
  auto* canvas = mesh.findChild<QAbstractScrollArea*>("meshCanvas");
  EXPECT_EQ(mesh.scene().ranks.front().rank, 0);
  canvas->verticalScrollBar()->setValue(canvas->verticalScrollBar()->maximum());
  canvas->horizontalScrollBar()->setValue(canvas->horizontalScrollBar()->maximum());
  EXPECT_EQ(mesh.scene().ranks.back().rank, 16777215);
  canvas->grab();
  delete mesh.header();
}

TEST(Panels, TheWholeSaysWhatItsPartsSay) {
  At at(EventKind::Result, 3);
  const auto* whole = at.find<WholeCanvas>("wholeCanvas");
  EXPECT_EQ(whole->heading(), QStringLiteral("Reassembled, as it will be after the reduction"));
  EXPECT_EQ(whole->verdict(), QStringLiteral("4 terms make every element"));
  at.go(EventKind::Result, 4);
  EXPECT_EQ(whole->verdict(), QStringLiteral("all 4 copies agree"));
}

TEST(Panels, BuffersShowTheRefcountUpToTheStep) {
  At at(EventKind::MaskMaterialized, 1);
  EXPECT_EQ(at.find<QLabel>("bufferHolders")->text(), QStringLiteral("#1 held by x', y"));
  EXPECT_EQ(at.find<QLabel>("bufferState")->text(), QStringLiteral("refcount 2"));
  EXPECT_EQ(at.find<QLabel>("bufferFoot")->text(),
            QStringLiteral("ids masked away: r0 4 of 6, r1 4, r2 5, r3 5"));
  const auto* chart = at.find<RefcountChart>("refcountChart");
  EXPECT_EQ(chart->past().points().last(), QPointF(at.position_, 2));
  EXPECT_EQ(chart->future().points().first(), QPointF(at.position_, 2));
  EXPECT_EQ(chart->future().points().last(), QPointF(25, 0));
  at.go(EventKind::MaskReleased, 1);
  EXPECT_EQ(at.find<QLabel>("bufferState")->text(), QStringLiteral("released"));
}

TEST(Panels, AllBuffersAreATableWhoseRowsLeadToTheirEvents) {
  At at(EventKind::MaskMaterialized, 1);
  EXPECT_FALSE(at.find<QTableView>("buffersView")->isVisible());
  at.find<QToolButton>("allBuffers")->click();
  auto* buffers = at.find<QTableView>("buffersView");
  auto* events = at.find<QTableView>("bufferEventsView");
  ASSERT_TRUE(buffers->isVisible());
  EXPECT_FALSE(at.find<QLabel>("bufferHolders")->isVisible());
  using Column = view::BuffersTable::Column;
  const auto cell = [&](int column) {
    return buffers->model()->index(0, column).data().toString();
  };
  EXPECT_EQ(cell(Column::Buffer), QStringLiteral("#1"));
  EXPECT_EQ(cell(Column::Refcount), QStringLiteral("2"));
  EXPECT_EQ(cell(Column::Hits), QStringLiteral("1"));
  EXPECT_EQ(cell(Column::Holders), QStringLiteral("x', y"));
  EXPECT_EQ(at.find<QLabel>("bufferEventsTitle")->text(), QStringLiteral("Events of #1"));
  const int last = events->model()->rowCount() - 1;
  ASSERT_GT(last, 2);
  EXPECT_EQ(events->model()->index(last, 1).data().toString(), QStringLiteral("released"));
  QSignalSpy gone(at.find<Panel>("buffersPanel"), &Panel::positionWanted);
  events->setCurrentIndex(events->model()->index(last, 0));
  QTest::keyClick(events, Qt::Key_Return);
  ASSERT_EQ(gone.size(), 1);
  EXPECT_EQ(QString::number(gone.front().front().toUInt()),
            events->model()->index(last, 0).data().toString());
  at.find<QToolButton>("allBuffers")->click();
  EXPECT_FALSE(buffers->isVisible());
}

TEST(Panels, TheChoiceOfABufferHasRoomForItsText) {
  At at(EventKind::MaskMaterialized, 1);
  const auto* choice = at.find<QComboBox>("bufferChoice");
  const QString text = QStringLiteral("follow the event");
  EXPECT_EQ(choice->currentText(), text);
  EXPECT_GT(choice->width(), choice->fontMetrics().horizontalAdvance(text));
}

TEST(Panels, ABufferThatIsStillHeldIsToldOfThoughTheProgramComesLate) {
  Journal journal;
  Recorder recorder;
  recorder.addSink(journal);
  recorder.setStep(0, 2);
  Event step;
  step.kind = EventKind::Step;
  const EventId span = recorder.begin(step);
  Event made;
  made.kind = EventKind::MaskMaterialized;
  made.subject = 1;
  made.count = 1;
  made.detail = recorder.intern(R"({"holder": "y"})");
  recorder.note(made);
  recorder.end(span);
  StateIndex states(journal);
  BuffersPanel panel;
  const auto* alarm = panel.findChild<QLabel*>(QStringLiteral("bufferAlarm"));
  panel.setSnapshot(journal, states.at(2));
  EXPECT_EQ(alarm->text(), QString());
  recorder.meta("scenario", R"({"steps": [{"id": "y", "call": "aten.embedding"}]})");
  panel.setSnapshot(journal, states.at(2));
  EXPECT_EQ(alarm->text(),
            QStringLiteral("<b>Not released:</b> the program is over and a buffer is "
                           "still held."));
  panel.resize(300, panel.minimumHeight());
  panel.grab();  // lays it out
  const auto* chart = panel.findChild<RefcountChart*>(QStringLiteral("refcountChart"));
  const auto* foot = panel.findChild<QLabel*>(QStringLiteral("bufferFoot"));
  EXPECT_FALSE(chart->geometry().intersects(foot->geometry()));
  delete panel.header();
}

TEST(Panels, CachesSayThatAHitWasFoundAnewAndCompared) {
  Journal journal;
  Recorder recorder;
  recorder.addSink(journal);
  Event miss;
  miss.kind = EventKind::CacheLookup;
  miss.verdict = Verdict::Miss;
  miss.count = 1;
  miss.name = recorder.intern("plan");
  miss.detail = recorder.intern(R"({"fields": [["from", "R"]]})");
  Event hit = miss;
  hit.verdict = Verdict::Hit;
  hit.subject = recorder.note(miss);
  hit.detail = 0;
  recorder.note(hit);
  hit.detail = recorder.intern(R"({"verified": true})");
  recorder.note(hit);
  StateIndex states(journal);
  CachesPanel panel;
  const QString said = QStringLiteral("The answer was found anew and compared: it is the same.");
  panel.setSnapshot(journal, states.at(2));
  EXPECT_FALSE(panel.explanation().contains(said));
  panel.setSnapshot(journal, states.at(3));
  EXPECT_TRUE(panel.explanation().contains(said));
  delete panel.header();
}

TEST(Panels, CachesExplainTheNewestLookUp) {
  At at(EventKind::CacheLookup, 0);
  const auto* caches = at.find<CachesPanel>("cachesPanel");
  EXPECT_TRUE(caches->explanation().contains(QStringLiteral("nothing like it")));
  EXPECT_EQ(caches->header()->note(), QStringLiteral("hits: strategy 0/1 · plan 0/0"));
  at.go(EventKind::CacheLookup, 2);
  EXPECT_TRUE(caches->explanation().contains(
      QStringLiteral("had it</b>, for 2 cache look-ups, used once before")));
  EXPECT_EQ(caches->header()->note(), QStringLiteral("hits: strategy 0/1 · plan 1/2"));
}

TEST(Panels, CachesDrawHowTheyGrewWhereThereIsRoom) {
  Journal journal;
  recordLookup(journal);
  StateIndex states(journal);
  CachesPanel caches;
  caches.resize(400, 420);
  const QSignalSpy wanted(&caches, &Panel::positionWanted);
  caches.setSnapshot(journal, states.at(10));
  caches.grab();  // lays it out
  auto* chart = caches.findChild<CachesChart*>(QStringLiteral("cacheEntriesChart"));
  EXPECT_FALSE(chart->parentWidget()->isHidden());
  EXPECT_EQ(chart->strategy().points().back(), QPointF(25, 1));
  EXPECT_EQ(chart->plan().points().back(), QPointF(25, 1));
  const auto* rate = caches.findChild<CachesChart*>(QStringLiteral("cacheHitRateChart"));
  EXPECT_EQ(rate->plan().points().back(), QPointF(25, 50));
  const QPointF at = chart->chart()->mapToPosition({9, 0.5});
  QTest::mouseClick(chart->viewport(), Qt::LeftButton, {}, chart->mapFromScene(at));
  ASSERT_EQ(wanted.size(), 1);
  EXPECT_EQ(wanted.front().front().value<EventId>(), 9U);
  caches.resize(400, 200);
  caches.grab();
  EXPECT_TRUE(chart->parentWidget()->isHidden());
  caches.setSnapshot(emptyJournal(), {});
  EXPECT_TRUE(chart->isEmpty());
  delete caches.header();
}

TEST(Panels, CachesSayWhatDiffersFromTheNearestEntry) {
  Journal journal;
  Recorder recorder;
  recorder.addSink(journal);
  const auto ask = [&](EventId nearest, const char* shape) {
    return recorder.note(makeLookup(recorder, "strategy", {.entry = nearest, .kept = true},
                                    LookupRecord{.fields = {{"weight", shape}}}));
  };
  ask(ask(0, "[10, 5]"), "[10, 3]");
  StateIndex states(journal);
  CachesPanel caches;
  caches.setSnapshot(journal, states.at(2));
  for (const char* text : {"nearest entry is", "weight", "[10, 3]", "[10, 5]"}) {
    EXPECT_TRUE(caches.explanation().contains(QLatin1String(text))) << text;
  }
  delete caches.header();
}

TEST(Panels, TellWhoseBehaviourIsEmulated) {
  Window window;
  {
    auto writer = TraceWriter::create(window.path("run.shardlens").toStdString());
    Recorder recorder;
    recorder.addSink(**writer);
    recordLookup(recorder);
    recorder.meta("emulate", "torch-2.15");
    ASSERT_TRUE((*writer)->close());
    recorder.removeSinks();
  }
  window.open(window.path("run.shardlens"));
  window.window.cursor().moveTo(25);
  EXPECT_TRUE(window.shows(QStringLiteral("event 25 of 25")));
  EXPECT_EQ(window.find<BuffersPanel>("buffersPanel")->header()->note(),
            QStringLiteral("torch-2.15 · 0 live · 1 released"));
  EXPECT_EQ(window.find<CachesPanel>("cachesPanel")->header()->note(),
            QStringLiteral("torch-2.15 · hits: strategy 0/1 · plan 1/2"));
}

TEST(Panels, TheMeshJoinsTheRanksOfTheCollective) {
  At at(EventKind::Collective);
  EXPECT_EQ(at.find<MeshPanel>("meshPanel")->scene().tense, CollectiveTense::Now);
  EXPECT_EQ(at.find<QWidget>("meshCanvas")->accessibleName(),
            QStringLiteral("Mesh, all_reduce over tp, put in: 72 B a rank, 288 B together"));
}

TEST(Panels, WhyTellsWhatTheStepDecided) {
  At at(EventKind::Candidates);
  const auto* header = at.find<WhyPanel>("whyPanel")->header();
  EXPECT_EQ(header->detail(), QStringLiteral("aten.embedding"));
  EXPECT_EQ(header->note(), QStringLiteral("row-wise won"));
  EXPECT_TRUE(at.find<QWidget>("planView")->isHidden());  // there is none yet
  at.go(EventKind::Plan, 0);                              // in the same step: both
  EXPECT_FALSE(at.find<QWidget>("planView")->isHidden());
  EXPECT_FALSE(at.find<QWidget>("candidatesView")->isHidden());
  EXPECT_EQ(header->detail(), QStringLiteral("aten.embedding"));
  at.go(EventKind::Plan, 1);  // in the next step: only this
  EXPECT_TRUE(at.find<QWidget>("candidatesView")->isHidden());
  EXPECT_TRUE(at.find<QWidget>("alternativesView")->isHidden());
  EXPECT_EQ(header->detail(), QStringLiteral("y: MaskP → R"));
}

TEST(Panels, WhyShowsThePlanBesideTheWaysItDidNotTake) {
  Journal journal;
  recordPlan(journal);
  StateIndex states(journal);
  WhyPanel why;
  why.setSnapshot(journal, states.at(journal.size()));
  EXPECT_EQ(why.header()->detail(), QStringLiteral("t: (S(0), S(0)) → (R, S(0))"));
  EXPECT_EQ(why.findChild<QTableView*>("planView")->model()->rowCount(), 2);
  EXPECT_EQ(why.findChild<QTableView*>("alternativesView")->model()->rowCount(), 2);
  EXPECT_FALSE(why.findChild<QTableView*>("alternativesView")->isHidden());
  EXPECT_EQ(why.findChild<ElidedLabel*>("searchNote")->text(),
            QStringLiteral("min-cost explored 5 states"));
  delete why.header();  // a dock would own it
}

TEST(Panels, TheWholeSaysWhatIsInOtherProcesses) {
  const auto verdict = [](Placements placements) {
    Journal journal;
    recordTensor(journal, "4:tp", {4, 2}, std::move(placements), {{}, "0,1"});
    StateIndex states(journal);
    WholeCanvas whole;
    const Snapshot& snapshot = states.at(journal.size());
    whole.setTensor(journal, snapshot, viewTensor(journal, snapshot, 1));
    return whole.verdict();
  };
  EXPECT_EQ(verdict({Shard{0}}), QStringLiteral("the rest is in other processes' recordings"));
  EXPECT_EQ(verdict({Replicate{}}), QStringLiteral("the 2 copies here agree"));
}

TEST(Panels, TheMeshSaysWhoIsInThisProcess) {
  Journal journal;
  recordTensor(journal, "4:tp", {4}, {Shard{0}}, {{}, "0,1"});
  StateIndex states(journal);
  MeshPanel mesh;
  mesh.setSnapshot(journal, states.at(journal.size()));
  EXPECT_EQ(mesh.header()->note(), QStringLiteral("4 ranks, gloo, ranks 0, 1 in this process"));
  delete mesh.header();
}

TEST(Panels, TheProgramCanBeReadAsItsSource) {
  At at(EventKind::Operator);
  EXPECT_EQ(at.find<ProgramPanel>("programPanel")->model().rowCount(), 4);
  QTest::mouseClick(at.find<QToolButton>("programSource"), Qt::LeftButton);
  EXPECT_EQ(at.find<ProgramPanel>("programPanel")->model().rowCount(), 16);
}

TEST(Panels, NotesBelongToTheStep) {
  At at(EventKind::Operator);
  EXPECT_TRUE(
      at.find<QLabel>("notesText")->text().startsWith(QStringLiteral("Each rank looks up")));
}

}  // namespace
}  // namespace shardlens
