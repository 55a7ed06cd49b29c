// Tests the export of the open document: the written files, and refusals.
#include "core/exports/csv.h"
#include "core/exports/step_markdown.h"
#include "tests/ui/support/lookup_run.h"
#include "tests/ui/support/window.h"
#include "ui/pages/export_dialog.h"
#include "ui/pages/gallery.h"

#include <gmock/gmock.h>

#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QImage>
#include <QLineEdit>
#include <QListWidget>
#include <QPointer>
#include <QThread>
#include <QTimer>
#include <algorithm>
#include <sstream>

namespace shardlens {
namespace {

struct OnExport : Window {
  OnExport() {
    writeLookup(path("run.shardlens"));
    opened = open(path("run.shardlens"));
    openDialog();
  }
  void openDialog() {
    window.activateWindow();
    EXPECT_TRUE(QTest::qWaitForWindowActive(&window));
    press(Qt::Key_E, Qt::ControlModifier);
    dialog = find<ExportDialog>("exportDialog");
  }
  void choose(const QString& format) {
    auto* list = find<QListWidget>("exportFormats");
    list->setCurrentItem(list->findItems(format + u' ', Qt::MatchStartsWith).front());
  }
  QString file() { return find<QLineEdit>("exportPath")->text(); }
  QString status() { return find<QLabel>("exportStatus")->text(); }
  QByteArray written(const QString& name) {
    click("exportStart");
    const QString end = QStringLiteral("Exported to %1, ").arg(name);
    EXPECT_TRUE(QTest::qWaitFor([&] { return message().startsWith(end); }, 20000))
        << qPrintable(message());
    QFile made(name);
    return made.open(QIODevice::ReadOnly) ? made.readAll() : QByteArray();
  }
  bool opened = false;
  QPointer<ExportDialog> dialog;
};

TEST(Export, WritesATableAsTheCommandLineDoes) {
  OnExport on;
  ASSERT_TRUE(on.opened);
  on.choose(QStringLiteral("csv"));
  EXPECT_EQ(on.file(), on.path("run.csv"));
  const QByteArray written = on.written(on.path("run.csv"));
  std::ostringstream expected;
  const Journal& journal = on.window.cursor().journal();
  ASSERT_TRUE(writeCsv(journal, "events", journal.size(), expected));
  EXPECT_EQ(written.toStdString(), expected.str());
  EXPECT_TRUE(on.dialog.isNull() || !on.dialog->isVisible());
}

TEST(Export, ProposesTheHomeFolderForAGalleryItem) {
  const auto recording = std::ranges::find_if(
      gallery(), [](const GalleryEntry& entry) { return QFileInfo(entry.path).isDir(); });
  ASSERT_NE(recording, gallery().end());
  Window on;
  ASSERT_TRUE(on.open(recording->path));
  on.window.activateWindow();
  ASSERT_TRUE(QTest::qWaitForWindowActive(&on.window));
  on.press(Qt::Key_E, Qt::ControlModifier);
  EXPECT_EQ(QFileInfo(on.find<QLineEdit>("exportPath")->text()).path(), QDir::homePath());
}

TEST(Export, WritesTheCurrentStep) {
  OnExport on;
  on.choose(QStringLiteral("markdown"));
  const QByteArray written = on.written(on.path("run.md"));
  const auto expected =
      stepMarkdown(on.window.cursor().journal(), on.window.cursor().snapshot().step);
  EXPECT_EQ(written.toStdString(), expected.value());
}

TEST(Export, ProposesTheSuffixAndWarnsBeforeReplacing) {
  OnExport on;
  on.choose(QStringLiteral("html"));
  EXPECT_EQ(on.file(), on.path("run.html"));
  EXPECT_EQ(on.status(), QString());
  for (const char* name : {"run.json", "run-2.json", "run.svg"}) {
    QFile there(on.path(name));
    ASSERT_TRUE(there.open(QIODevice::WriteOnly));
  }
  on.choose(QStringLiteral("trace"));
  EXPECT_EQ(on.file(), on.path("run-3.json"));  // run.json may be the scenario
  EXPECT_EQ(on.status(), QString());
  auto* line = on.find<QLineEdit>("exportPath");
  line->selectAll();
  QTest::keyClicks(line, on.path("run.json"));
  EXPECT_EQ(on.status(), QStringLiteral("run.json exists and will be replaced."));
  on.choose(QStringLiteral("svg"));
  EXPECT_EQ(on.status(), QStringLiteral("run.svg exists and will be replaced."));
}

TEST(Export, DrawsAPanel) {
  OnExport on;
  on.choose(QStringLiteral("png"));
  auto* panels = on.find<QComboBox>("exportPanel");
  panels->setCurrentIndex(panels->findData(QStringLiteral("shards")));
  const QSize size = on.find<QWidget>("shardsPanel")->parentWidget()->size();
  on.written(on.path("run.png"));
  const QImage drawn(on.path("run.png"));
  EXPECT_EQ(drawn.size(), size);
}

TEST(Export, OffersNoStepAtTheStart) {
  OnExport on;
  on.dialog->reject();
  ASSERT_TRUE(QTest::qWaitFor([&] { return on.dialog.isNull(); }));
  on.window.cursor().toStart();
  ASSERT_TRUE(on.shows(QStringLiteral("event 0 of 25")));
  on.openDialog();
  on.choose(QStringLiteral("markdown"));
  EXPECT_FALSE(on.find<QPushButton>("exportStart")->isEnabled());
  EXPECT_EQ(on.status(), QStringLiteral("This format exports one step. Go to a step first."));
  on.choose(QStringLiteral("html"));
  EXPECT_TRUE(on.find<QPushButton>("exportStart")->isEnabled());
}

TEST(Export, ReportsWriteErrors) {
  OnExport on;
  on.choose(QStringLiteral("html"));
  on.find<QLineEdit>("exportPath")->setText(on.path("none/run.html"));
  EXPECT_FALSE(on.find<QPushButton>("exportStart")->isEnabled());
  EXPECT_EQ(on.status(), QStringLiteral("Folder %1 does not exist.").arg(on.path("none")));
  QFile partial(on.path("run.html.part"));
  ASSERT_TRUE(partial.open(QIODevice::WriteOnly));
  on.find<QLineEdit>("exportPath")->setText(on.path("run.html"));
  on.click("exportStart");
  EXPECT_TRUE(QTest::qWaitFor(
      [&] { return on.message() == on.path("run.html.part is in the way: remove it"); }, 20000))
      << qPrintable(on.message());
  EXPECT_FALSE(QFile::exists(on.path("run.html")));
}

// If the window was busy, the timer of the progress message and the end of the export come
// together.
TEST(Export, ResultReplacesTheProgressMessage) {
  OnExport on;
  on.choose(QStringLiteral("html"));
  on.click("exportStart");
  const auto* soon = on.find<QTimer>("exportSoon");
  while (soon->remainingTime() > 0 || !QFile::exists(on.path("run.html"))) {
    QThread::yieldCurrentThread();
  }
  EXPECT_TRUE(QTest::qWaitFor(
      [&] { return on.message().startsWith(QStringLiteral("Exported to ")); }, 20000));
  EXPECT_TRUE(QTest::qWaitFor([&] { return on.find<QTimer>("exportSoon") == nullptr; }));
  EXPECT_TRUE(on.message().startsWith(QStringLiteral("Exported to "))) << qPrintable(on.message());
}

TEST(Export, CopiesTheStepAsMarkdown) {
  OnExport on;
  on.dialog->reject();
  on.window.activateWindow();
  ASSERT_TRUE(QTest::qWaitForWindowActive(&on.window));
  on.press(Qt::Key_M, Qt::ControlModifier | Qt::ShiftModifier);
  const int step = on.window.cursor().snapshot().step;
  EXPECT_TRUE(QTest::qWaitFor(
      [&] { return on.message() == QStringLiteral("Step %1 copied as Markdown.").arg(step + 1); },
      20000))
      << qPrintable(on.message());
  EXPECT_EQ(QApplication::clipboard()->text().toStdString(),
            stepMarkdown(on.window.cursor().journal(), step).value());
}

}  // namespace
}  // namespace shardlens
