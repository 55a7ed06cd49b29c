// Tests opening from the clipboard, by dropping, and of other tools' dumps, and the window used.
#include "tests/ui/support/lookup_run.h"
#include "tests/ui/support/window.h"
#include "ui/bridge/named_paths.h"
#include "ui/panels/mesh_panel.h"

#include <gmock/gmock.h>

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QDir>
#include <QDockWidget>
#include <QDragEnterEvent>
#include <QDropEvent>
#include <QFile>
#include <QMimeData>
#include <QPointer>
#include <QUrl>

namespace shardlens {
namespace {

using testing::ElementsAre;

QString sample(const char* name) {
  return QStringLiteral(SHARDLENS_SOURCE_DIR "/tests/imports/samples/") + QLatin1String(name);
}

QMimeData* filesData(const QStringList& paths) {
  auto* data = new QMimeData;
  QList<QUrl> urls;
  for (const QString& path : paths) urls << QUrl::fromLocalFile(path);
  data->setUrls(urls);
  return data;
}

void write(const QString& path, const QByteArray& text) {
  QFile file(path);
  ASSERT_TRUE(file.open(QIODevice::WriteOnly));
  file.write(text);
}

struct OpeningWindow : Window {
  OpeningWindow() {
    writeLookup(path("run.shardlens"));
    EXPECT_TRUE(QTest::qWaitForWindowActive(&window));
  }
  ~OpeningWindow() {
    for (MainWindow* other : others()) delete other;
  }
  std::vector<MainWindow*> others() {
    std::vector<MainWindow*> found;
    for (QWidget* each : QApplication::topLevelWidgets()) {
      auto* other = qobject_cast<MainWindow*>(each);
      if (other != nullptr && other != &window) found.push_back(other);
    }
    return found;
  }
  bool opens(MainWindow& in) {
    return QTest::qWaitFor([&] { return !in.isOpening(); }, 60000) && in.document() != nullptr;
  }
  void paste(QMimeData* data) {
    QApplication::clipboard()->setMimeData(data);
    press(Qt::Key_V, Qt::ControlModifier);
  }
  void paste(const QString& text) {
    auto* data = new QMimeData;
    data->setText(text);
    paste(data);
  }
  void drop(const QStringList& paths) {
    const std::unique_ptr<QMimeData> data(filesData(paths));
    QDragEnterEvent enter(QPoint(20, 20), Qt::CopyAction, data.get(), Qt::LeftButton,
                          Qt::NoModifier);
    QApplication::sendEvent(&window, &enter);
    QDropEvent event(QPointF(20, 20), Qt::CopyAction, data.get(), Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(&window, &event);
  }
};

TEST(Paste, APathIsOpened) {
  OpeningWindow on;
  on.paste(QStringLiteral("  %1\n").arg(on.path("run.shardlens")));
  ASSERT_TRUE(on.opens(on.window));
  EXPECT_EQ(on.window.document()->path(), on.path("run.shardlens"));
}

TEST(Paste, FilesAreOpenedEachInAWindow) {
  OpeningWindow on;
  QFile::copy(on.path("run.shardlens"), on.path("other.shardlens"));
  on.paste(filesData({on.path("run.shardlens"), on.path("other.shardlens")}));
  ASSERT_TRUE(on.opens(on.window));
  EXPECT_EQ(on.window.document()->path(), on.path("run.shardlens"));
  ASSERT_EQ(on.others().size(), 1U);
  ASSERT_TRUE(on.opens(*on.others().front()));
  EXPECT_EQ(on.others().front()->document()->path(), on.path("other.shardlens"));
}

TEST(Paste, ScenarioIsSavedInAFile) {
  OpeningWindow on;
  const QString text = QStringLiteral("{\"mesh\": {\"shape\": [1]}, \"steps\": []}");
  on.paste(text);
  ASSERT_NE(on.window.opening(), nullptr);
  QFile kept(on.window.opening()->path());
  ASSERT_TRUE(kept.open(QIODevice::ReadOnly));
  EXPECT_EQ(QString::fromUtf8(kept.readAll()), text);
}

TEST(Paste, RejectsOtherText) {
  OpeningWindow on;
  on.paste(QStringLiteral("/no/such/file"));
  EXPECT_EQ(on.window.opening(), nullptr);
  EXPECT_TRUE(on.message().startsWith(QStringLiteral("Cannot paste: ")))
      << qPrintable(on.message());
}

TEST(Drop, OpensFilesOfOneRunTogether) {
  OpeningWindow on;
  on.drop({sample("kineto-2/rank0.json.gz"), sample("kineto-2/rank1.json.gz")});
  ASSERT_TRUE(on.opens(on.window)) << qPrintable(on.message());
  EXPECT_TRUE(on.others().empty());
  EXPECT_EQ(on.window.document()->recordings().size(), 1);
  EXPECT_EQ(
      QDir(on.window.document()->recordings().front()).entryList({QStringLiteral("*.shardlens")}),
      (QStringList{QStringLiteral("rank-0.shardlens"), QStringLiteral("rank-1.shardlens")}));
}

TEST(Drop, GroupsByFolderAndNameWithoutNumbers) {
  OpeningWindow on;
  const auto part = [](const QStringList& paths) { return partedByRun(paths); };
  const QString a = on.path("rank-0.shardlens"), b = on.path("rank-1.shardlens");
  const QString c = on.path("run.shardlens"), s1 = on.path("s1.json"), s2 = on.path("s2.json");
  for (const QString& each : {a, b}) QFile::copy(c, each);
  for (const QString& each : {s1, s2}) write(each, R"({"mesh": {}, "steps": []})");
  EXPECT_THAT(part({a, c, b, s1, s2}),
              ElementsAre(QStringList({a, b}), QStringList(c), QStringList(s1), QStringList(s2)));
}

TEST(Import, OpensATraceThatCanBeSaved) {
  OpeningWindow on;
  ASSERT_TRUE(on.open(sample("debug_mode.json"))) << qPrintable(on.message());
  EXPECT_GT(on.window.cursor().size(), 0U);
  EXPECT_TRUE(on.window.windowTitle().contains(QStringLiteral("debug_mode.json (imported)")));
  EXPECT_TRUE(on.window.saveRecording(on.path("kept.shardlens")));
  const EventId events = on.window.cursor().size();
  ASSERT_TRUE(on.open(on.path("kept.shardlens")));
  EXPECT_EQ(on.window.cursor().size(), events);
}

// A DebugMode log has neither tensors nor times.
TEST(Import, EventsFillTheMiddleIfNothingElseWould) {
  OpeningWindow on;
  on.window.resize(1400, 900);
  ASSERT_TRUE(on.open(sample("debug_mode.json"))) << qPrintable(on.message());
  QCoreApplication::processEvents();
  const auto* events = on.find<QWidget>("eventsPanelDock");
  EXPECT_GT(events->width(), 450);
  EXPECT_GT(events->height(), 600);
}

TEST(Import, AFolderOfTracesOpens) {
  OpeningWindow on;
  ASSERT_TRUE(on.open(sample("kineto-4"))) << qPrintable(on.message());
  EXPECT_FALSE(on.window.document()->canSave());
}

// All ranks and events are shown. Each panel reports what a profiler's trace lacks.
TEST(Import, NamesMissingContentPerPanel) {
  OpeningWindow on;
  ASSERT_TRUE(on.open(sample("kineto-4"))) << qPrintable(on.message());
  for (QDockWidget* dock : on.window.findChildren<QDockWidget*>()) {
    dock->show();
    dock->raise();
    on.window.redraw();
  }
  const auto hasEmptyText = [&](const char* panel, const char* things) {
    const QString expected = QStringLiteral("No %1 up to here in this Kineto trace.");
    for (const QLabel* label : on.find<QWidget>(panel)->findChildren<QLabel*>()) {
      if (label->text() == expected.arg(QLatin1String(things))) return true;
    }
    return false;
  };
  EXPECT_TRUE(hasEmptyText("programPanel", "lines of a program"));
  EXPECT_TRUE(hasEmptyText("buffersPanel", "mask buffers"));
  EXPECT_TRUE(hasEmptyText("cachesPanel", "cache lookups"));
  EXPECT_TRUE(hasEmptyText("whyPanel", "candidates or plans"));
  EXPECT_EQ(on.find<QWidget>("shardsCanvas")->accessibleName(),
            QStringLiteral("No tensors up to here in this Kineto trace."));
  const auto* mesh = on.window.findChild<MeshPanel*>();
  EXPECT_EQ(mesh->scene().ranks.size(), 4U);
  EXPECT_EQ(mesh->header()->note(), QStringLiteral("4 ranks"));
  // The last event is visible, although events of threads interleave.
  auto* steps = on.find<QAbstractItemView>("stepsView");
  const QRect row = steps->visualRect(steps->currentIndex());
  EXPECT_TRUE(steps->currentIndex().isValid());
  EXPECT_TRUE(steps->viewport()->rect().intersects(row));
}

TEST(Import, NamesATruncatedFile) {
  OpeningWindow on;
  write(on.path("cut.json"), R"({"traceEvents": [{"ph": "X", )");
  EXPECT_FALSE(on.open(on.path("cut.json")));
  EXPECT_TRUE(on.message().contains(QStringLiteral("cut.json"))) << qPrintable(on.message());
  EXPECT_EQ(on.window.document(), nullptr);
}

TEST(Windows, HaveSeparateDocumentsAndOneColourScheme) {
  OpeningWindow on;
  ASSERT_TRUE(on.open(on.path("run.shardlens")));
  on.press(Qt::Key_N, Qt::ControlModifier);
  ASSERT_EQ(on.others().size(), 1U);
  QPointer<MainWindow> other = on.others().front();
  EXPECT_EQ(other->document(), nullptr);
  on.window.setDark(true);
  EXPECT_TRUE(other->isDark());
  on.window.setDark(false);
  other->close();
  EXPECT_TRUE(QTest::qWaitFor([&] { return other.isNull(); }));
  EXPECT_NE(on.window.document(), nullptr);
}

}  // namespace
}  // namespace shardlens
