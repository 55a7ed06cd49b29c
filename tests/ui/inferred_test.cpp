// Tests how placements that are inferred for plain tensors are shown.
#include "tests/inference/plain_run.h"
#include "tests/ui/support/laid.h"
#include "ui/models/problem_watch.h"
#include "ui/panels/inspector_panel.h"
#include "ui/panels/shards_panel.h"
#include "ui/panels/why_panel.h"
#include "ui/scenes/inferred_view.h"
#include "ui/widgets/choice_box.h"
#include "ui/widgets/shards_canvas.h"
#include "ui/widgets/table_view.h"

#include <gmock/gmock.h>

#include <QAbstractItemModel>
#include <QTest>
#include <memory>
#include <vector>

namespace shardlens {
namespace {

// A tensor that all_gather makes whole along tp, and a gradient that is summed and divided.
struct Job : PlainRun {
  Job() : part(tensor("part", {3, 4})) {
    parameter("w", tensor("w", {4, 2}));
    {
      constexpr auto kGather = R"({"collective":"all_gather","group":"tp"})";
      const std::vector<TensorId> inputs{part};
      const Span span(recorder, makePlainCall(recorder, "c10d._allgather_base_", kGather), inputs);
      recorder.note(makeCollective(recorder, CollectiveKind::AllGather, "0,1", -1, 8, {}));
      note("gathered", tensor("gathered", {6, 4}), "");
    }
    gathered = journal.size();
    const auto x = tensor("x", {4, 3}), y = tensor("y", {3, 2});
    const auto gradient =
        call("aten.mm", {x, y}, {4, 2}, R"({"args":{"self":{"tensor":0},"mat2":{"tensor":1}}})");
    allReduce(gradient);
    write("aten.div_.Tensor", {gradient}, R"({"args":{"self":{"tensor":0},"other":2.0}})");
    note("w.grad", gradient, R"({"role":"gradient"})");
    note("part", part, R"({"role":"output"})");
    for (const int rank : {0, 1}) {
      ValueRecord value;
      value.event = journal.size();
      value.tensor = part;
      value.rank = rank;
      value.shape = {3, 4};
      value.data = std::make_shared<const std::vector<std::byte>>(12 * sizeof(float));
      journal.onValue(value);
    }
    watch.setJournal(journal, RunState::Ended);
    EXPECT_TRUE(QTest::qWaitFor([this] { return !watch.isSearching(); }));
  }
  // Returns the view of a tensor at the end, with its inferred placements.
  TensorView view(TensorId id) {
    TensorView found = viewTensor(journal, states.at(journal.size()), id);
    placeInferred(found, *watch.inferred(journal), journal.size());
    return found;
  }
  TensorId part;
  EventId gathered = 0;
  StateIndex states{journal};
  ProblemWatch watch;
};

// Returns a table as text: a line per row, cells separated by " | ".
std::string rowsText(const QWidget& parent, const char* name) {
  const auto* table = parent.findChild<QuietTable*>(QLatin1String(name));
  if (table->isHidden() || table->parentWidget()->isHidden()) return "hidden";
  QStringList lines;
  const QAbstractItemModel& model = *table->model();
  for (int row = 0; row < model.rowCount(); ++row) {
    QStringList cells;
    for (int column = 0; column < model.columnCount(); ++column) {
      cells << model.index(row, column).data().toString();
    }
    lines << cells.join(QStringLiteral(" | "));
  }
  return lines.join(u'\n').toStdString();
}

TEST(InferredView, HasTheWholeTensor) {
  Job job;
  const auto view = job.view(job.part);
  EXPECT_TRUE(view.isInferred);
  EXPECT_EQ(view.record->shape, (Shape{6, 4}));
  EXPECT_EQ(view.record->placements, Placements{Shard{0}});
  ASSERT_EQ(view.parts.size(), 2U);
  EXPECT_EQ(view.parts[1].runs.at(0), (Runs{{3, 3}}));
  EXPECT_EQ(view.copies().size(), 2U);
  const Snapshot& snapshot = job.states.at(job.journal.size());
  const ShardsSource source(job.journal, snapshot, view, firstSlice(*view.record), false);
  const auto scene = layoutShards(source, kArea);
  ASSERT_EQ(scene.cards.size(), 2U);
  EXPECT_TRUE(scene.cards[0].isInferred);
  EXPECT_TRUE(source.padded.empty());
}

TEST(InferredView, DoesNothingForRecordedPlacements) {
  Job job;
  Laid laid = tensor("2:tp", {6, 4}, {Shard{0}});
  const auto before = laid.view.record;
  placeInferred(laid.view, *job.watch.inferred(job.journal), laid.journal.size());
  EXPECT_EQ(laid.view.record, before);
  EXPECT_FALSE(laid.view.isInferred);
  EXPECT_EQ(job.watch.inferred(laid.journal), nullptr);
}

// Returns the rows of the tensor list in a panel or its header.
std::vector<std::string> listedTensors(const QWidget& parent, const char* name) {
  const auto* box = parent.findChild<ChoiceBox*>(QLatin1String(name));
  std::vector<std::string> rows;
  for (int row = 0; row < box->count(); ++row) rows.push_back(box->itemText(row).toStdString());
  return rows;
}

TEST(InferredPanels, ListPlainTensorsAsInferred) {
  Job job;
  ShardsPanel shards;
  InspectorPanel inspector;
  for (Panel* panel : {static_cast<Panel*>(&shards), static_cast<Panel*>(&inspector)}) {
    panel->setSnapshot(job.journal, job.states.at(job.journal.size()));
  }
  EXPECT_EQ(listedTensors(*shards.header(), "tensorChoice"),
            std::vector<std::string>{"current tensor"});
  shards.setWatch(job.watch);
  inspector.setWatch(job.watch);
  Q_EMIT job.watch.changed();
  for (const auto& rows : {listedTensors(*shards.header(), "tensorChoice"),
                           listedTensors(inspector, "inspectedTensor")}) {
    EXPECT_THAT(rows, testing::IsSupersetOf({"part   f32[3, 4]   inferred: tp S(0)",
                                             "gathered   f32[6, 4]   inferred: tp R"}));
  }
  auto* box = shards.header()->findChild<ChoiceBox*>(QStringLiteral("tensorChoice"));
  box->setCurrentIndex(box->findText(QStringLiteral("gathered"), Qt::MatchStartsWith));
  EXPECT_EQ(shards.header()->detail(), QStringLiteral("gathered  ·  f32[6, 4]"));
  shards.setSnapshot(job.journal, job.states.at(job.journal.size()));
  EXPECT_EQ(shards.header()->detail(), QStringLiteral("gathered  ·  f32[6, 4]"));
  delete shards.header();
  delete inspector.header();
}

TEST(InferredPanels, StateTheEvidence) {
  Job job;
  ShardsPanel shards;
  InspectorPanel inspector;
  shards.setSnapshot(job.journal, job.states.at(job.journal.size()));
  EXPECT_EQ(shards.header()->detail().count(QStringLiteral("tp S(0)")), 0);
  shards.setWatch(job.watch);
  inspector.setWatch(job.watch);
  for (Panel* panel : {static_cast<Panel*>(&shards), static_cast<Panel*>(&inspector)}) {
    panel->resize(600, 400);
    panel->show();
    panel->setSnapshot(job.journal, job.states.at(job.journal.size()));
    EXPECT_TRUE(QTest::qWaitFor([panel] { return !panel->header()->detail().isEmpty(); }));
    EXPECT_EQ(panel->header()->detail(), QStringLiteral("part  ·  f32[6, 4]  ·  tp S(0)"));
    const auto* reason = panel->findChild<ElidedLabel*>(QStringLiteral("inferredFrom"));
    EXPECT_FALSE(reason->isHidden());
    EXPECT_EQ(reason->text(), QStringLiteral("inferred from all_gather"));
  }
  EXPECT_TRUE(shards.findChild<ShardsCanvas*>()->view().isInferred);
  delete shards.header();
  delete inspector.header();
}

TEST(InferredPanels, WhyShowsEvidenceAndLedger) {
  Job job;
  WhyPanel why;
  why.setWatch(job.watch);
  why.setSnapshot(job.journal, job.states.at(job.gathered));
  EXPECT_EQ(rowsText(why, "evidenceView"), "tp | R | all_gather");
  EXPECT_EQ(rowsText(why, "ledgerView"), "hidden");
  why.setSnapshot(job.journal, job.states.at(job.journal.size() - 1));  // the gradient
  EXPECT_EQ(rowsText(why, "evidenceView"), "tp | R | aten.div_.Tensor");
  EXPECT_EQ(rowsText(why, "ledgerView"),
            "computed by aten.mm |  | tp P(sum) | \n"
            "summed by all_reduce | tp (ranks 0,1) | tp R | \n"
            "divided by 2 |  | tp R | \n"
            "read by the optimizer |  | tp R | ");
  EXPECT_EQ(why.findChild<ElidedLabel*>(QStringLiteral("ledgerSummary"))->text(),
            QStringLiteral("summed over tp, divided by 2"));
  const Journal other;
  why.setSnapshot(other, Snapshot());
  EXPECT_EQ(rowsText(why, "evidenceView"), "hidden");
  delete why.header();
}

TEST(Inferred, ATensorOfWhichNothingIsKnownIsNamed) {
  Journal journal;
  Recorder recorder;
  recorder.addSink(journal);
  const TensorId t = recorder.addTensor("t", {DType::Float32, {2, 3}, {}});
  recorder.note(makeResult(recorder, "t", t, 24, 0));
  StateIndex states(journal);
  const auto view = std::make_shared<const TensorView>(viewTensor(journal, states.at(1), t));
  EXPECT_EQ(tensorHeader(journal, *view, nullptr, 1, view::Notation::DTensor).detail,
            QStringLiteral("t  ·  f32[2, 3]"));
  ShardsCanvas canvas;
  canvas.setTensor(journal, states.at(1), view, TensorSlice({2, 3}));
  EXPECT_EQ(canvas.accessibleName(),
            QStringLiteral("No values of t were recorded, and its placement is unknown"));
}

}  // namespace
}  // namespace shardlens
