// Tests the comparison of two recordings.
#include "core/trace/file/trace_writer.h"
#include "core/trace/journal/journal_copy.h"
#include "core/trace/recorder/event_makers.h"
#include "tests/inference/plain_run.h"
#include "tests/ui/support/lookup_run.h"
#include "tests/ui/support/window.h"
#include "tests/view/table_text.h"
#include "ui/models/compared_steps_model.h"
#include "ui/pages/comparison_page.h"
#include "ui/widgets/table_view.h"

#include <gmock/gmock.h>

#include <QApplication>
#include <QComboBox>
#include <QLineEdit>
#include <QTreeView>
#include <cstring>
#include <string>
#include <vector>

namespace shardlens {
namespace {

class ComparisonTest : public testing::Test {
 protected:
  void SetUp() override {
    writeLookup(on.path("here.shardlens"));
    ASSERT_TRUE(on.open(on.path("here.shardlens")));
    sheet = on.find<ComparisonPage>("comparisonPage");
    table = on.find<QuietTable>("differencesView");
  }
  // Writes a recording of the same run with another setting.
  void writeOther(const char* name) const {
    auto writer = TraceWriter::create(on.path(name).toStdString());
    Recorder recorder;
    recorder.addSink(**writer);
    recordLookup(recorder);
    recorder.meta("masking", "fused");
    ASSERT_TRUE((*writer)->close());
    recorder.removeSinks();
  }
  bool compare(const char* name) {
    on.window.compareWith(on.path(name));
    return QTest::qWaitFor([&] { return !sheet->isBusy(); });
  }

  Window on;
  ComparisonPage* sheet = nullptr;
  QuietTable* table = nullptr;
};

TEST_F(ComparisonTest, EqualRunsDoNotDiffer) {
  writeLookup(on.path("there.shardlens"));
  ASSERT_TRUE(compare("there.shardlens"));
  EXPECT_EQ(sheet->summary(), QStringLiteral("4 steps in both · no differences"));
  EXPECT_EQ(table->emptyText(), QStringLiteral("The recordings do not differ."));
  EXPECT_EQ(sheet->model().rowCount(), 0);
}

TEST_F(ComparisonTest, ADifferenceLeadsToItsEvent) {
  {
    auto writer = TraceWriter::create(on.path("there.shardlens").toStdString());
    ASSERT_TRUE((*writer)->close());
  }
  ASSERT_TRUE(compare("there.shardlens"));
  ASSERT_GT(sheet->model().rowCount(), 0);
  int row = 0;
  while (sheet->model().rowAt(row).event == 0) {
    ++row;
  }
  const EventId event = sheet->model().rowAt(row).event;
  on.window.cursor().moveTo(0);
  table->setCurrentIndex(sheet->model().index(row, 0));
  QTest::keyClick(table, Qt::Key_Return);
  EXPECT_EQ(on.window.cursor().position(), event);
}

TEST_F(ComparisonTest, NamesAnUnreadableFile) {
  ASSERT_TRUE(compare("absent.shardlens"));
  EXPECT_TRUE(sheet->summary().contains(QStringLiteral("absent.shardlens")))
      << qPrintable(sheet->summary());
  EXPECT_FALSE(on.find<QPushButton>("openOther")->isEnabled());
}

// Both recordings are one tree with two columns, the tensors of both are shown, and the totals.
TEST_F(ComparisonTest, ShowsBothRecordingsInOneWindow) {
  {
    auto writer = TraceWriter::create(on.path("there.shardlens").toStdString());
    Recorder recorder;
    recorder.addSink(**writer);
    recordLookup(recorder);
    { const Span more(recorder, makeStep(recorder, "another()")); }
    ASSERT_TRUE((*writer)->close());
    recorder.removeSinks();
  }
  ASSERT_TRUE(compare("there.shardlens"));
  ASSERT_TRUE(sheet->isVisible());
  EXPECT_EQ(sheet->summary(), QStringLiteral("4 steps in both, 1 only in B · 1 difference"));
  auto* tree = on.find<QTreeView>("comparedSteps");
  const ComparedStepsModel& steps = sheet->steps();
  ASSERT_TRUE(QTest::qWaitFor([&] { return steps.rowCount() == 5; }));
  const auto text = [&](int row, int column) {
    return steps.index(row, column).data().toString().toStdString();
  };
  EXPECT_EQ(text(0, 0), text(0, 1));
  EXPECT_EQ(text(4, 0), "—");
  EXPECT_EQ(text(4, 1), "≠ another()");
  EXPECT_EQ(steps.index(4, 1).data(ComparedStepsModel::ToneRole).toInt(),
            static_cast<int>(view::Tone::Warn));
  auto* totals = on.find<QuietTable>("comparedTotals");
  ASSERT_TRUE(QTest::qWaitFor([&] { return totals->model()->rowCount() > 0; }));
  EXPECT_EQ(totals->model()->index(0, 3).data().toString(), QStringLiteral("+1"));

  // A row goes to its event in A, and B follows; a row of B alone moves A to the event before it.
  const QModelIndex first = steps.index(0, 0);
  tree->setCurrentIndex(first);
  Q_EMIT tree->activated(first);
  EXPECT_EQ(on.window.cursor().position(), steps.eventsOf(first).left);
  const auto shows = [&](EventId position) {
    return on.shows(QStringLiteral("event %1 of %2").arg(position).arg(on.window.cursor().size()));
  };
  ASSERT_TRUE(shows(steps.eventsOf(first).left));
  Q_EMIT tree->activated(steps.index(4, 1));
  EXPECT_EQ(steps.eventsOf(tree->currentIndex()).left, 0U);
  ASSERT_TRUE(shows(on.window.cursor().size()));
  EXPECT_EQ(steps.eventsOf(tree->currentIndex()), steps.eventsOf(steps.index(4, 1)))
      << "also after the window has moved";

  on.window.cursor().toEnd();
  EXPECT_TRUE(on.find<QLabel>("leftShardsHeading")->text().startsWith(QStringLiteral("A: ")));
  EXPECT_EQ(on.find<QLabel>("tensorVerdict")->text(), QStringLiteral("Equal within the tolerance"));
  on.click("closeComparison");
  EXPECT_FALSE(sheet->isVisible());
  EXPECT_TRUE(on.find<QWidget>("shardsPanel")->isVisible());
}

// Writes a run whose only tensor is replicated, with one element on each rank.
void writeElements(const QString& path, const std::vector<float>& ranks) {
  auto writer = TraceWriter::create(path.toStdString());
  Recorder recorder;
  recorder.setCapture(CaptureLevel::All);
  recorder.addSink(**writer);
  recorder.meta("mesh", std::to_string(ranks.size()) + ":tp");
  {
    const Span step(recorder, makeStep(recorder, "x = f()"));
    const TensorId x = recorder.addTensor("x", {DType::Float32, {1}, {Replicate{}}, nullptr});
    recorder.note(makeResult(recorder, "x", x, 0, 0));
    ValueRecord value;
    value.tensor = x;
    value.shape = {1};
    for (const float& element : ranks) {
      value.rank = static_cast<int>(&element - ranks.data());
      auto bytes = std::make_shared<std::vector<std::byte>>(sizeof element);
      std::memcpy(bytes->data(), &element, sizeof element);
      value.data = bytes;
      recorder.value(value, *bytes);
    }
  }
  ASSERT_TRUE((*writer)->close());
  recorder.removeSinks();
}

void writeElement(const QString& path, float element) { writeElements(path, {element}); }

// The whole has the element of rank 0, which is the same in both.
TEST_F(ComparisonTest, ShowsTheRankWhoseCopyDiffers) {
  writeElements(on.path("one.shardlens"), {1, 1, 1});
  writeElements(on.path("more.shardlens"), {1, 1, 2});
  ASSERT_TRUE(on.open(on.path("one.shardlens")));
  ASSERT_TRUE(compare("more.shardlens"));
  const auto* rank = on.find<QComboBox>("differenceRank");
  EXPECT_EQ(on.find<QLabel>("tensorVerdict")->text(),
            QStringLiteral("Largest difference: rank 2 at [0]: 1 and 2"));
  EXPECT_TRUE(QTest::qWaitFor([&] { return rank->currentText() == QStringLiteral("rank 2"); }));
  on.find<QComboBox>("differenceRank")->setCurrentIndex(0);  // the user's choice stays
  QCoreApplication::processEvents();
  EXPECT_EQ(rank->currentIndex(), 0);
}

TEST_F(ComparisonTest, ObservesTheChosenTolerance) {
  writeElement(on.path("one.shardlens"), 1);
  writeElement(on.path("more.shardlens"), 1.001F);
  ASSERT_TRUE(on.open(on.path("one.shardlens")));
  ASSERT_TRUE(compare("more.shardlens"));
  EXPECT_EQ(sheet->summary(), QStringLiteral("1 step in both · 1 difference"));
  EXPECT_EQ(on.find<QLabel>("tensorVerdict")->text(),
            QStringLiteral("Largest difference: rank 0 at [0]: 1 and 1.001"));
  auto* tolerance = on.find<QLineEdit>("comparisonTolerance");
  tolerance->setText(QStringLiteral("1e-2"));
  QTest::keyClick(tolerance, Qt::Key_Return);
  ASSERT_TRUE(QTest::qWaitFor([&] { return !sheet->isBusy(); }));
  EXPECT_EQ(sheet->summary(), QStringLiteral("1 step in both · no differences"));
  EXPECT_EQ(on.find<QLabel>("tensorVerdict")->text(), QStringLiteral("Equal within the tolerance"));
}

// A window at the end of its recording goes to the first difference. After the last one, the next
// is the first.
TEST_F(ComparisonTest, BeginsAtTheFirstDifferenceAndWraps) {
  writeElement(on.path("one.shardlens"), 1);
  writeElement(on.path("more.shardlens"), 1.001F);
  ASSERT_TRUE(on.open(on.path("one.shardlens")));
  on.window.cursor().toEnd();
  ASSERT_EQ(on.window.cursor().position(), 2U);
  ASSERT_TRUE(compare("more.shardlens"));
  const EventId first = 2;  // the result in the step
  EXPECT_EQ(on.window.cursor().position(), first);
  on.press(Qt::Key_F7);
  EXPECT_EQ(on.window.cursor().position(), first);
  EXPECT_EQ(sheet->summary(), QStringLiteral("No later difference. This is the first one."));
  on.press(Qt::Key_F7, Qt::ShiftModifier);
  EXPECT_EQ(sheet->summary(), QStringLiteral("No earlier difference. This is the last one."));
  on.window.cursor().moveTo(1);
  ASSERT_TRUE(on.shows(QStringLiteral("event 1 of 2")));
  on.press(Qt::Key_F7);
  EXPECT_EQ(on.window.cursor().position(), first);
  EXPECT_EQ(sheet->summary(), QStringLiteral("1 step in both · 1 difference"));
}

TEST_F(ComparisonTest, DropsTheTensorsOfAnEarlierJournalWhileItCompares) {
  writeLookup(on.path("there.shardlens"));
  ASSERT_TRUE(compare("there.shardlens"));
  auto* heading = on.find<QLabel>("leftShardsHeading");
  EXPECT_NE(heading->text(), QStringLiteral("A: no such tensor"));
  QTest::keyClick(on.find<QLineEdit>("comparisonTolerance"), Qt::Key_Return);
  ASSERT_TRUE(sheet->isBusy());
  sheet->setSnapshot(Journal(), {});
  EXPECT_EQ(heading->text(), QStringLiteral("A: no such tensor"));
  sheet->setSnapshot(on.window.cursor().journal(), on.window.cursor().snapshot());
}

TEST_F(ComparisonTest, EscapeStopsPlaybackBeforeItCloses) {
  writeLookup(on.path("there.shardlens"));
  ASSERT_TRUE(compare("there.shardlens"));
  on.window.cursor().moveTo(0);
  ASSERT_TRUE(on.shows(QStringLiteral("event 0 of %1").arg(on.window.cursor().size())));
  on.press(Qt::Key_Less);  // slowest: one event per second
  on.press(Qt::Key_Space);
  ASSERT_TRUE(on.position().contains(QStringLiteral("playing"))) << qPrintable(on.position());
  QTest::keyClick(sheet, Qt::Key_Escape);
  EXPECT_FALSE(on.position().contains(QStringLiteral("playing")));
  EXPECT_TRUE(sheet->isVisible());
  QTest::keyClick(sheet, Qt::Key_Escape);
  EXPECT_FALSE(sheet->isVisible());
}

TEST_F(ComparisonTest, IsAtThePositionWhenItIsShownAgain) {
  writeLookup(on.path("there.shardlens"));
  ASSERT_TRUE(compare("there.shardlens"));
  on.press(Qt::Key_1, Qt::ControlModifier);
  ASSERT_FALSE(sheet->isVisible());
  on.window.cursor().moveTo(1);
  ASSERT_TRUE(on.shows(QStringLiteral("event 1 of %1").arg(on.window.cursor().size())));
  on.press(Qt::Key_4, Qt::ControlModifier);
  ASSERT_TRUE(sheet->isVisible());
  const auto current = on.find<QTreeView>("comparedSteps")->currentIndex();
  EXPECT_EQ(sheet->steps().eventsOf(current).left, 1U);
}

TEST_F(ComparisonTest, HeadingOfAPlainTensorHasNoPlacements) {
  {
    const auto writer = TraceWriter::create(on.path("plain.shardlens").toStdString()).value();
    Recorder recorder;
    recorder.addSink(*writer);
    recorder.meta("mesh", "2:tp");
    recorder.note(
        makeResult(recorder, "t", recorder.addTensor("t", {DType::Float32, {4}, {}}), 8, 0));
    ASSERT_TRUE(writer->close());
  }
  ASSERT_TRUE(on.open(on.path("plain.shardlens")));
  ASSERT_TRUE(compare("here.shardlens"));
  on.window.cursor().moveTo(1);
  ASSERT_TRUE(on.shows(QStringLiteral("event 1 of 1")));
  EXPECT_EQ(on.find<QLabel>("leftShardsHeading")->text(), QStringLiteral("A: t  ·  f32[4]"));
}

TEST_F(ComparisonTest, ListsPlainTensorsAsInferred) {
  PlainRun run;
  run.parameter("w", run.tensor("w", {4, 2}));
  const TensorId sum = run.tensor("sum", {4, 4});
  run.note("sum", sum, "");
  run.allReduce(sum);
  {
    const auto writer = TraceWriter::create(on.path("plain.shardlens").toStdString()).value();
    copyJournal(run.journal, {}, *writer);
    ASSERT_TRUE(writer->close());
  }
  ASSERT_TRUE(on.open(on.path("plain.shardlens")));
  ASSERT_TRUE(compare("here.shardlens"));
  on.window.cursor().toEnd();
  auto* choice = on.find<QComboBox>("comparedTensor");
  const auto row = [choice] {
    return choice->findText(QStringLiteral("sum   f32[4, 4]   inferred: tp R"));
  };
  ASSERT_TRUE(QTest::qWaitFor([&] { return row() > 0; }));
  choice->setCurrentIndex(row());
  const auto* heading = on.find<QLabel>("leftShardsHeading");
  EXPECT_EQ(heading->text(), QStringLiteral("A: sum  ·  f32[4, 4]"));
  on.window.cursor().moveTo(1);  // before it exists
  ASSERT_TRUE(QTest::qWaitFor([&] { return choice->currentIndex() == 0; }));
  EXPECT_EQ(heading->text(), QStringLiteral("A: w  ·  f32[4, 2]"));
  on.window.cursor().toEnd();
  EXPECT_TRUE(QTest::qWaitFor([&] { return choice->currentIndex() == row(); }));
}

TEST_F(ComparisonTest, FilterCommandOpensItsFilter) {
  writeLookup(on.path("there.shardlens"));
  ASSERT_TRUE(compare("there.shardlens"));
  on.press(Qt::Key_F, Qt::ControlModifier);
  EXPECT_TRUE(sheet->isAncestorOf(QApplication::focusWidget()));
  EXPECT_NE(qobject_cast<QLineEdit*>(QApplication::focusWidget()), nullptr);
}

TEST_F(ComparisonTest, DifferentSettingIsShownUntilTheDocumentCloses) {
  writeOther("there.shardlens");
  ASSERT_TRUE(compare("there.shardlens"));
  EXPECT_TRUE(sheet->summary().endsWith(QStringLiteral("1 difference")))
      << qPrintable(sheet->summary());
  EXPECT_EQ(sheet->model().rowAt(0).cells[0].text, "settings");
  EXPECT_TRUE(sheet->isVisible());
  on.window.closeDocument();
  EXPECT_FALSE(sheet->isVisible());
}

}  // namespace
}  // namespace shardlens
