// Tests the user's source in Program, for a recording whose events have source lines.
#include "core/trace/file/trace_writer.h"
#include "core/trace/recorder/event_makers.h"
#include "tests/ui/support/drawn_texts.h"
#include "tests/ui/support/file_dialog.h"
#include "tests/ui/support/window.h"
#include "ui/panels/program_panel.h"

#include <gtest/gtest.h>

#include <QDir>
#include <QFile>
#include <QListView>
#include <QPushButton>
#include <QScrollBar>

namespace shardlens {
namespace {

// Events 1 and 2 are of lines 2 and 3 of train.py, 3 is of line 1 of net.py in the same folder, and
// 4 has no line.
struct OnSource : Window {
  explicit OnSource(const QString& folder) {
    const auto writer = TraceWriter::create(path("run.shardlens").toStdString()).value();
    Recorder recorder;
    recorder.addSink(*writer);
    recorder.meta("mesh", "2:tp");
    recorder.setRanks("0-1");
    const auto note = [&](const char* file, int line) {
      const QString place = folder + QLatin1Char('/') + QLatin1String(file);
      recorder.setSite({.file = place.toStdString(), .line = line});
      recorder.note(makeCompute(recorder, "mm"));
    };
    note("train.py", 2);
    note("train.py", 3);
    note("net.py", 1);
    recorder.setSite({});
    recorder.note(makeCompute(recorder, "add"));
    EXPECT_TRUE(writer->close());
    recorder.removeSinks();
    EXPECT_TRUE(open(path("run.shardlens")));
    go(2);
  }
  static void write(const QString& folder) {
    QDir().mkpath(folder);
    for (const auto& [name, text] : {std::pair("train.py", "import net\n\u00e9 = 1\nnet.run()\n"),
                                     std::pair("net.py", "def run(): pass\n")}) {
      QFile file(folder + QLatin1Char('/') + QLatin1String(name));
      EXPECT_TRUE(file.open(QIODevice::WriteOnly));
      file.write(text);
    }
  }
  void go(EventId position) {
    window.cursor().moveTo(position);
    window.redraw();
  }
  QListView& lines() { return *find<QListView>("programView"); }
  QStringList texts() {
    QStringList all;
    for (int row = 0; row < lines().model()->rowCount(); ++row) {
      all << lines().model()->index(row, 0).data().toString();
    }
    return all;
  }
  // Returns the numbers of the marked lines, from 1.
  QList<int> marked() {
    QList<int> all;
    for (int row = 0; row < lines().model()->rowCount(); ++row) {
      if (lines().model()->index(row, 0).data(ProgramModel::CurrentRole).toBool()) all << row + 1;
    }
    return all;
  }
  QString detail() { return find<ProgramPanel>("programPanel")->header()->detail(); }
  bool isMissing() { return find<QLabel>("missingSource")->isVisible(); }
};

TEST(Source, MarksTheLineOfTheEvent) {
  const QTemporaryDir folder;
  OnSource::write(folder.path());
  OnSource on(folder.path());
  EXPECT_EQ(on.texts(), (QStringList{QStringLiteral("import net"), QStringLiteral("\u00e9 = 1"),
                                     QStringLiteral("net.run()")}));
  EXPECT_EQ(on.marked(), QList<int>{3});
  EXPECT_EQ(on.detail(), QStringLiteral("train.py"));
  EXPECT_FALSE(on.isMissing());
  on.go(1);
  EXPECT_EQ(on.marked(), QList<int>{2});
  on.go(3);
  EXPECT_EQ(on.texts(), QStringList{QStringLiteral("def run(): pass")});
  EXPECT_EQ(on.marked(), QList<int>{1});
  on.go(4);
  EXPECT_EQ(on.detail(), QStringLiteral("net.py"));
  EXPECT_EQ(on.marked(), QList<int>());
}

// Lines of a source file are not elided; the view scrolls horizontally.
TEST(Source, ALongLineIsReadByScrolling) {
  const QTemporaryDir folder;
  OnSource::write(folder.path());
  QFile file(folder.filePath(QStringLiteral("net.py")));
  ASSERT_TRUE(file.open(QIODevice::WriteOnly));
  file.write("def run(): pass  # " + QByteArray(400, 'x'));
  file.close();
  OnSource on(folder.path());
  QScrollBar* bar = on.lines().horizontalScrollBar();
  EXPECT_EQ(bar->maximum(), 0);
  on.go(3);
  ASSERT_TRUE(QTest::qWaitFor([&] { return bar->maximum() > 0; }, 10000));
  EXPECT_TRUE(bar->isVisible());
  EXPECT_EQ(bar->value(), 0);
  for (const DrawnText& drawn : drawnTexts(on.lines())) {
    EXPECT_FALSE(drawn.text.contains(u'…')) << drawn.text.toStdString();
  }
}

TEST(Source, ABreakpointOnALineStopsAtItsEvents) {
  const QTemporaryDir folder;
  OnSource::write(folder.path());
  OnSource on(folder.path());
  on.go(1);
  on.lines().setFocus();
  on.lines().setCurrentIndex(on.lines().model()->index(2, 0));
  on.press(Qt::Key_F9);
  EXPECT_EQ(on.lines().model()->index(2, 0).data(ProgramModel::BreakpointRole).toInt(),
            ProgramModel::On);
  EXPECT_EQ(on.lines().model()->index(1, 0).data(ProgramModel::BreakpointRole).toInt(),
            ProgramModel::None);
  on.go(0);
  on.press(Qt::Key_F5);
  EXPECT_TRUE(QTest::qWaitFor([&] { return on.window.cursor().position() == 2; }, 10000));
}

TEST(Source, MissingFileCanBeLocated) {
  const QTemporaryDir folder;
  OnSource::write(folder.path() + QStringLiteral("/src"));
  OnSource on(QStringLiteral("/nowhere/src"));
  EXPECT_TRUE(on.isMissing());
  EXPECT_FALSE(on.lines().isVisible());
  EXPECT_EQ(on.find<QLabel>("missingSource")->text(),
            QStringLiteral("Source file not found: /nowhere/src/train.py, line 3"));
  chooseInFileDialogs(on, folder.path() + QStringLiteral("/src/train.py"));
  on.click("findSource");
  ASSERT_TRUE(QTest::qWaitFor([&] { return !on.isMissing(); }, 10000));
  EXPECT_EQ(on.marked(), QList<int>{3});
  on.go(3);  // net.py, in the same folder
  EXPECT_FALSE(on.isMissing());
  EXPECT_EQ(on.marked(), QList<int>{1});
}

// The recording of a Python program, which has its sources and no scenario.
struct OnProgramsRecording : OnSource {
  OnProgramsRecording() : OnSource(QStringLiteral("/nowhere")) {
    const auto writer = TraceWriter::create(path("job.shardlens").toStdString()).value();
    Recorder recorder;
    recorder.addSink(*writer);
    recorder.meta("mesh", "2:tp");
    recorder.meta("path", "/nowhere/train.py");
    recorder.meta("source:/nowhere/train.py", "import net\nnet.run()\n");
    recorder.meta("source:/nowhere/net.py", "def run(): pass\n");
    recorder.setRanks("0-1");
    recorder.note(makeCompute(recorder, "mm"));
    recorder.setSite({.file = "/nowhere/net.py", .line = 1});
    recorder.note(
        makeLookup(recorder, CacheTable::Strategy, {.verdict = Verdict::Hit}, std::nullopt));
    EXPECT_TRUE(writer->close());
    recorder.removeSinks();
    EXPECT_TRUE(open(path("job.shardlens")));
  }
};

TEST(Source, IsReadFromTheRecording) {
  OnProgramsRecording on;
  on.go(0);
  EXPECT_FALSE(on.isMissing());
  EXPECT_EQ(on.detail(), QStringLiteral("train.py"));
  EXPECT_EQ(on.texts(), (QStringList{QStringLiteral("import net"), QStringLiteral("net.run()")}));
  EXPECT_EQ(on.marked(), QList<int>());
  on.go(2);
  EXPECT_EQ(on.texts(), QStringList{QStringLiteral("def run(): pass")});
  EXPECT_EQ(on.marked(), QList<int>{1});
}

TEST(Source, RunAgainNamesTheReasonForAProgram) {
  OnProgramsRecording on;
  on.go(2);
  const QString why =
      QStringLiteral("The recording is of a Python program; only scenarios can be run again here");
  const auto& check = *on.find<QPushButton>("checkHit");
  EXPECT_FALSE(check.isHidden());
  EXPECT_FALSE(check.isEnabled());
  EXPECT_EQ(check.toolTip(), why);
  for (const char* command : {"changeProgram", "whatIf", "saveProgramAs"}) {
    const auto& action = *on.find<QAction>(command);
    EXPECT_FALSE(action.isEnabled()) << command;
    EXPECT_EQ(action.toolTip(), why) << command;
  }
}

}  // namespace
}  // namespace shardlens
