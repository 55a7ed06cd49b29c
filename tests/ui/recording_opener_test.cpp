#include "ui/bridge/recording_opener.h"

#include "core/trace/file/trace_writer.h"
#include "core/trace/recorder/recorder.h"

#include <gtest/gtest.h>

#include <QDateTime>
#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QThreadPool>
#include <algorithm>

namespace shardlens {
namespace {

constexpr EventId kEvents = 200'000;

class RecordingOpenerTest : public ::testing::Test {
 protected:
  RecordingOpenerTest() {
    const auto writer = TraceWriter::create(path_.toStdString()).value();
    Recorder recorder;
    recorder.addSink(*writer);
    for (EventId id = 1; id <= kEvents; ++id) recorder.note(Event{});
    EXPECT_TRUE(writer->close());
  }

  QTemporaryDir folder_;
  QString path_ = folder_.filePath(QStringLiteral("long.shardlens"));
};

TEST_F(RecordingOpenerTest, OpensTheJournalAndItsIndex) {
  RecordingOpener opener(QStringList{path_});
  std::vector<int> percents;
  QObject::connect(&opener, &RecordingOpener::progressed,
                   [&](int percent) { percents.push_back(percent); });
  SharedRecording opened;
  QObject::connect(&opener, &RecordingOpener::opened,
                   [&](const SharedRecording& recording) { opened = recording; });
  ASSERT_TRUE(QTest::qWaitFor([&] { return opened != nullptr; }, 60000));
  EXPECT_EQ(opened->reader->journal().size(), kEvents);
  EXPECT_EQ(opened->states->size(), kEvents);
  EXPECT_FALSE(percents.empty());
  EXPECT_TRUE(std::is_sorted(percents.begin(), percents.end()));
}

TEST_F(RecordingOpenerTest, SharesAFileBetweenWindows) {
  const auto open = [this] {
    RecordingOpener opener(QStringList{path_});
    SharedRecording opened;
    QObject::connect(&opener, &RecordingOpener::opened,
                     [&](const SharedRecording& recording) { opened = recording; });
    EXPECT_TRUE(QTest::qWaitFor([&] { return opened != nullptr; }, 60000));
    return opened;
  };
  auto first = open();
  const auto second = open();
  EXPECT_EQ(first, second);
  const auto* journal = &first->reader->journal();
  first.reset();
  EXPECT_EQ(&second->reader->journal(), journal);
  EXPECT_EQ(second->reader->journal().size(), kEvents);
  QFile file(path_);
  ASSERT_TRUE(file.open(QIODevice::ReadWrite));
  ASSERT_TRUE(
      file.setFileTime(QDateTime::currentDateTime().addSecs(1), QFileDevice::FileModificationTime));
  file.close();
  EXPECT_NE(open(), second);
}

TEST_F(RecordingOpenerTest, ReadsTheTotalsOfALargeFileFirst) {
  const QString path = folder_.filePath(QStringLiteral("large.shardlens"));
  {
    const auto writer = TraceWriter::create(path.toStdString()).value();
    Recorder recorder;
    recorder.addSink(*writer);
    recorder.meta("source:large.py", std::string(9 << 20, 'x'));
    recorder.note(Event{});
    ASSERT_TRUE(writer->close());
    recorder.removeSinks();
  }
  const auto eventsOfTotals = [](const QString& opens) {
    RecordingOpener opener(QStringList{opens}, RecordingOpener::Totals::First);
    std::int64_t events = 0;
    bool isOpen = false;
    QObject::connect(&opener, &RecordingOpener::summarized, [&](const RunSummary& summary) {
      EXPECT_FALSE(isOpen);
      events = summary.events();
    });
    QObject::connect(&opener, &RecordingOpener::opened, [&] { isOpen = true; });
    EXPECT_TRUE(QTest::qWaitFor([&] { return isOpen; }, 60000));
    return events;
  };
  EXPECT_EQ(eventsOfTotals(path), 1);
  EXPECT_EQ(eventsOfTotals(path_), 0);  // small
}

TEST_F(RecordingOpenerTest, NamesTheError) {
  RecordingOpener opener(QStringList{folder_.filePath(QStringLiteral("none.shardlens"))});
  QSignalSpy failed(&opener, &RecordingOpener::failed);
  ASSERT_TRUE(failed.wait(60000));
  EXPECT_TRUE(failed.front().front().toString().contains(QStringLiteral("none.shardlens")));
}

TEST_F(RecordingOpenerTest, DestructorDoesNotWait) {
  auto opener = std::make_unique<RecordingOpener>(QStringList(path_));
  QSignalSpy failed(opener.get(), &RecordingOpener::failed);
  opener.reset();
  EXPECT_TRUE(QThreadPool::globalInstance()->waitForDone(60000));
  QCoreApplication::processEvents();
  EXPECT_TRUE(failed.empty());
}

}  // namespace
}  // namespace shardlens
