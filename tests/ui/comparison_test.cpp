// Tests the comparison of two recordings.
#include "core/trace/file/trace_writer.h"
#include "tests/ui/support/lookup_run.h"
#include "tests/ui/support/window.h"
#include "tests/view/table_text.h"
#include "ui/pages/comparison_sheet.h"
#include "ui/widgets/table_view.h"

#include <gmock/gmock.h>

namespace shardlens {
namespace {

class ComparisonTest : public testing::Test {
 protected:
  void SetUp() override {
    writeLookup(on.path("here.shardlens"));
    ASSERT_TRUE(on.open(on.path("here.shardlens")));
    sheet = on.find<ComparisonSheet>("comparisonSheet");
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
    return QTest::qWaitFor([&] { return !sheet->summary().startsWith(QStringLiteral("Reading")); });
  }

  Window on;
  ComparisonSheet* sheet = nullptr;
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
