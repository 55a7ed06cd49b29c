// Tests the panels at a position: Shards and the whole tensor, Mesh, Why, Program and Notes.
#include "core/trace/file/trace_writer.h"
#include "core/trace/snapshot/state_index.h"
#include "tests/ui/support/at_event.h"
#include "tests/ui/support/drawn_texts.h"
#include "ui/panels/buffers_panel.h"
#include "ui/panels/caches_panel.h"
#include "ui/panels/mesh_panel.h"
#include "ui/panels/program_panel.h"
#include "ui/panels/shards_panel.h"
#include "ui/panels/why_panel.h"
#include "ui/widgets/shards_canvas.h"
#include "ui/widgets/whole_canvas.h"

#include <gtest/gtest.h>

#include <QAbstractScrollArea>
#include <QComboBox>
#include <QLabel>
#include <QScrollBar>
#include <QTableView>
#include <QToolButton>
#include <array>
#include <cmath>
#include <cstring>

namespace shardlens {
namespace {

std::shared_ptr<const TensorView> viewOf(const Journal& journal, const Snapshot& snapshot,
                                         TensorId tensor) {
  return std::make_shared<const TensorView>(viewTensor(journal, snapshot, tensor));
}

TEST(Panels, ANarrowCountOmitsItsTotal) {
  ElidedLabel label(ElidedLabel::Role::Note);
  label.setText(QStringLiteral("step 6 of 8"));
  const auto shownAt = [&label](int width) {
    label.resize(width, 20);
    const auto texts = drawnTexts(label);
    return texts.empty() ? QString() : texts.front().text;
  };
  const int whole = label.sizeHint().width();
  EXPECT_EQ(shownAt(whole), QStringLiteral("step 6 of 8"));
  EXPECT_EQ(shownAt(whole - 10), QStringLiteral("step 6"));
}

TEST(Panels, ShardsFollowTheStep) {
  At at(EventKind::Result, 0);
  const auto* header = at.find<ShardsPanel>("shardsPanel")->header();
  EXPECT_EQ(header->detail(), QStringLiteral("w  ·  f32[10, 3]  ·  S(0)"));
  at.go(EventKind::Result, 3);
  EXPECT_EQ(header->detail(), QStringLiteral("y  ·  f32[6, 3]  ·  MaskP(sum, [10, 3], 0)"));
  EXPECT_EQ(at.find<ShardsCanvas>("shardsCanvas")->scene().cards.size(), 4U);
}

TEST(Panels, ChosenTensorStaysSelected) {
  At at(EventKind::Result, 3);
  auto* choice = at.find<QComboBox>("tensorChoice");
  choice->setCurrentIndex(1);
  const auto* header = at.find<ShardsPanel>("shardsPanel")->header();
  EXPECT_EQ(header->detail(), QStringLiteral("w  ·  f32[10, 3]  ·  S(0)"));
  at.go(EventKind::Result, 4);
  EXPECT_EQ(header->detail(), QStringLiteral("w  ·  f32[10, 3]  ·  S(0)"));
}

TEST(Panels, CellTooltipNamesItsIndices) {
  At at(EventKind::Result, 0);
  const auto* canvas = at.find<ShardsCanvas>("shardsCanvas");
  const ShardCell& cell = canvas->scene().cards[1].cells[4];
  const QString words = canvas->words(cell.rect.center() + QPointF(12, 12));
  EXPECT_TRUE(words.contains(QStringLiteral("rank 1, local [1, 1] = -0.97"))) << qPrintable(words);
  EXPECT_TRUE(words.contains(QStringLiteral("global [4, 1]"))) << qPrintable(words);
}

TEST(Panels, CellNamesTheRanksThatOwnIt) {
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
  canvas.setTensor(journal, snapshot, viewOf(journal, snapshot, 1), TensorSlice({2, 2}));
  const auto words = [&](std::size_t card) {
    return canvas.words(canvas.scene().cards[card].cells[3].rect.center() + QPointF(12, 12));
  };
  EXPECT_EQ(words(0), QStringLiteral("ranks 0, 1, 3, local [1, 1] = 3\nglobal [1, 1]"));
  EXPECT_EQ(words(1), QStringLiteral("rank 2, local [1, 1] = 5.5\nglobal [1, 1]\nrank 0 has 3"));
  WholeCanvas whole;
  whole.setTensor(journal, snapshot, viewOf(journal, snapshot, 1));
  EXPECT_EQ(whole.verdict(), QStringLiteral("copies differ: rank 2, [1, 1]: 5.5, not 3"));
}

// The only card of a replicated tensor shows all elements, so the strip has the verdict alone.
TEST(Panels, ReassembledTensorDoesNotRepeatTheOnlyCard) {
  const auto heightOf = [](const Placements& placements) {
    Journal journal;
    recordTensor(journal, "2:tp", {4, 2}, placements);
    StateIndex states(journal);
    const Snapshot& snapshot = states.at(journal.size());
    WholeCanvas whole;
    whole.resize(600, 100);
    whole.setTensor(journal, snapshot, viewOf(journal, snapshot, 1));
    return whole.height();
  };
  EXPECT_LT(heightOf({Replicate{}}), 40);
  EXPECT_GT(heightOf({Shard{0}}), 90);
}

TEST(Panels, CellOmitsRanksOfOtherProcesses) {
  Journal journal;
  recordTensor(journal, "4:tp", {2, 2}, {Replicate{}}, {{}, "1"});
  StateIndex states(journal);
  const Snapshot& snapshot = states.at(journal.size());
  ShardsCanvas canvas;
  canvas.setRoom(QSize(700, 300));
  canvas.setTensor(journal, snapshot, viewOf(journal, snapshot, 1), TensorSlice({2, 2}));
  const QPointF place = canvas.scene().cards[0].cells[0].rect.center() + QPointF(12, 12);
  EXPECT_EQ(canvas.words(place), QStringLiteral("rank 1, local [0, 0] = 0\nglobal [0, 0]"));
}

TEST(Panels, NanIsNotMarkedAsEqual) {
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
  whole.setTensor(journal, snapshot, viewOf(journal, snapshot, 1));
  EXPECT_EQ(whole.verdict(), QStringLiteral("1 NaN, 1 infinite · sum of 2 partial values"));
}

// The panel shows the result of the comparison with plain tensors.
TEST(Panels, TheWholeIsComparedWithThePlainTensor) {
  const auto sentence = [](Verdict verdict, const CheckRecord& check) {
    Journal journal;
    recordTensor(journal, "2:tp", {4, 2}, {Shard{0}});
    const auto text = journal.strings() + 1;
    journal.onString(text, checkDetail(check));
    Event event;
    event.kind = EventKind::Check;
    event.subject = 1;
    event.step = journal.at(journal.size()).step;
    event.verdict = verdict;
    event.detail = text;
    journal.onEvent(journal.size() + 1, event);
    StateIndex states(journal);
    const Snapshot& snapshot = states.at(journal.size());
    WholeCanvas whole;
    whole.setTensor(journal, snapshot, viewOf(journal, snapshot, 1));
    return whole.verdict().toStdString();
  };
  EXPECT_EQ(sentence(Verdict::Same, {}), "complete · matches plain torch");
  EXPECT_EQ(sentence(Verdict::None, {.why = "no plain result"}), "complete");
  CheckRecord far{.largest = "0.5", .relative = "0.1", .at = {2, 1}, .got = "5"};
  EXPECT_EQ(sentence(Verdict::Differs, far),
            "differs from plain torch by 0.5 at [2, 1] · complete");
  far.largest = "nan";
  EXPECT_EQ(sentence(Verdict::Differs, far), "differs from plain torch at [2, 1] · complete");
  EXPECT_EQ(sentence(Verdict::Differs, {.why = "got shape [3], expected [2]"}),
            "differs from plain torch: got shape [3], expected [2] · complete");
}

TEST(Panels, DoesNotPredictASumOfMaskedIds) {
  At at(EventKind::Result, 2);
  const auto* header = at.find<ShardsPanel>("shardsPanel")->header();
  EXPECT_TRUE(header->detail().startsWith(QStringLiteral("x'")));
  const auto* whole = at.find<WholeCanvas>("wholeCanvas");
  EXPECT_EQ(whole->heading(), QStringLiteral("Reassembled"));
  EXPECT_EQ(whole->verdict(), QStringLiteral("local ids, which are not summed"));
}

TEST(Panels, HuesFollowRowsIfDistinguishable) {
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
  EXPECT_EQ(note({48, 2}), QStringLiteral("colour = row"));
  EXPECT_EQ(note({49, 2}), QStringLiteral("colour = row, neighbours look alike"));
  EXPECT_EQ(note({4}), QStringLiteral("colour = element"));
  EXPECT_EQ(note({4, 2, 2}), QStringLiteral("colour = index in all dimensions but the last"));
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

TEST(Panels, WholeMatchesItsParts) {
  At at(EventKind::Result, 3);
  const auto* whole = at.find<WholeCanvas>("wholeCanvas");
  EXPECT_EQ(whole->heading(), QStringLiteral("Reassembled after the reduction"));
  EXPECT_EQ(whole->verdict(), QStringLiteral("sum of 4 partial values"));
  at.go(EventKind::Result, 4);
  EXPECT_EQ(whole->verdict(), QStringLiteral("all 4 copies are equal"));
}

TEST(Panels, TitleNamesTheEmulatedVersion) {
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
            QStringLiteral("torch-2.15 · 0 in use · 1 released"));
  EXPECT_EQ(window.find<CachesPanel>("cachesPanel")->header()->note(),
            QStringLiteral("torch-2.15 · hits: strategy 0/1 · plan 1/2"));
}

TEST(Panels, TheMeshJoinsTheRanksOfTheCollective) {
  At at(EventKind::Collective);
  EXPECT_EQ(at.find<MeshPanel>("meshPanel")->scene().tense, CollectiveTense::Now);
  EXPECT_EQ(at.find<QWidget>("meshCanvas")->accessibleName(),
            QStringLiteral("Mesh, all_reduce over tp, sent: 72 B per rank, 288 B in total"));
}

TEST(Panels, WhyShowsTheDecisionOfTheStep) {
  At at(EventKind::Candidates);
  const auto* header = at.find<WhyPanel>("whyPanel")->header();
  EXPECT_EQ(header->detail(), QStringLiteral("aten.embedding"));
  EXPECT_EQ(header->note(), QStringLiteral("chosen: row-wise"));
  EXPECT_TRUE(at.find<QWidget>("planView")->isHidden());  // no plan yet
  at.go(EventKind::Plan, 0);                              // in the same step: both
  EXPECT_FALSE(at.find<QWidget>("planView")->isHidden());
  EXPECT_FALSE(at.find<QWidget>("candidatesView")->isHidden());
  EXPECT_EQ(header->detail(), QStringLiteral("aten.embedding"));
  at.go(EventKind::Plan, 1);  // in the next step: only the plan
  EXPECT_TRUE(at.find<QWidget>("candidatesView")->isHidden());
  EXPECT_TRUE(at.find<QWidget>("alternativesView")->isHidden());
  EXPECT_EQ(header->detail(), QStringLiteral("y: MaskP → R"));
}

TEST(Panels, WhyShowsThePlanAndItsAlternatives) {
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

TEST(Panels, WholeNamesPartsInOtherProcesses) {
  const auto verdict = [](Placements placements) {
    Journal journal;
    recordTensor(journal, "4:tp", {4, 2}, std::move(placements), {{}, "0,1"});
    StateIndex states(journal);
    WholeCanvas whole;
    const Snapshot& snapshot = states.at(journal.size());
    whole.setTensor(journal, snapshot, viewOf(journal, snapshot, 1));
    return whole.verdict();
  };
  EXPECT_EQ(verdict({Shard{0}}),
            QStringLiteral("other parts are in the recordings of other processes"));
  EXPECT_EQ(verdict({Replicate{}}), QStringLiteral("the 2 copies of this process are equal"));
}

TEST(Panels, MeshNamesTheRanksOfThisProcess) {
  Journal journal;
  recordTensor(journal, "4:tp", {4}, {Shard{0}}, {{}, "0,1"});
  StateIndex states(journal);
  MeshPanel mesh;
  mesh.setSnapshot(journal, states.at(journal.size()));
  EXPECT_EQ(mesh.header()->note(), QStringLiteral("4 ranks, gloo, ranks 0, 1 in this process"));
  delete mesh.header();
}

TEST(Panels, ProgramShowsItsSource) {
  At at(EventKind::Operator);
  EXPECT_EQ(at.find<ProgramPanel>("programPanel")->model().rowCount(), 4);
  QTest::mouseClick(at.find<QToolButton>("programSource"), Qt::LeftButton);
  EXPECT_EQ(at.find<ProgramPanel>("programPanel")->model().rowCount(), 16);
}

TEST(Panels, NotesFollowTheStep) {
  At at(EventKind::Operator);
  EXPECT_TRUE(
      at.find<QLabel>("notesText")->text().startsWith(QStringLiteral("Each rank looks up")));
}

}  // namespace
}  // namespace shardlens
