// Tests opening a recording: the position, the message of a failure, and cancelling.
#include "core/trace/file/trace_writer.h"
#include "core/trace/merge/trace_reader.h"
#include "tests/ui/support/on_recording.h"
#include "ui/pages/gallery.h"

#include <gtest/gtest.h>

#include <QFile>
#include <QPixmap>
#include <QSemaphore>
#include <QThreadPool>

namespace shardlens {
namespace {

TEST(Window, OpensARecordingAtItsEnd) {
  OnRecording on;
  EXPECT_TRUE(on.opened);
}

TEST(Window, WelcomePageOpensGalleryItems) {
  Window on;
  auto* lookup = on.find<QAbstractButton>("gallery 01-vocabulary-parallel-embedding");
  auto* deadlock = on.find<QAbstractButton>("gallery 18-a-deadlock");
  ASSERT_NE(lookup, nullptr);
  ASSERT_NE(deadlock, nullptr);
  EXPECT_EQ(lookup->accessibleDescription(),
            QStringLiteral("4 ranks · 7 steps. A table of 10 words is too big for one rank, so its "
                           "rows are sharded over four ranks."));
  EXPECT_EQ(deadlock->text(), QStringLiteral("A deadlock: PyTorch 2.15 with two pending lookups"));
  EXPECT_TRUE(
      deadlock->accessibleDescription().startsWith(QStringLiteral("a recording of 4 ranks. ")));
  deadlock->click();
  EXPECT_TRUE(on.shows(QStringLiteral("event 2 of 2"))) << qPrintable(on.position());
}

TEST(Window, GalleryItemsHavePictures) {
  for (const GalleryEntry& entry : gallery()) {
    for (const ColourScheme scheme : {ColourScheme::Light, ColourScheme::Dark}) {
      EXPECT_FALSE(QPixmap(pictureOf(entry, scheme)).isNull()) << entry.path.toStdString();
    }
  }
}

TEST(Window, WelcomePageHasOneColumnInANarrowWindow) {
  Window on;
  const auto* exhibit = on.find<QWidget>("gallery 01-vocabulary-parallel-embedding");
  const auto* record = on.find<QWidget>("welcomeRecord");
  const auto top = [&](const QWidget* part) { return part->mapTo(&on.window, QPoint()).y(); };
  EXPECT_LT(top(record), top(exhibit) + exhibit->height());
  on.window.resize(640, 480);
  QCoreApplication::processEvents();
  EXPECT_GT(top(record), top(exhibit) + exhibit->height());
}

TEST(Window, OpensARecordingAtItsFirstError) {
  Window on;
  using enum EventKind;
  writeEvents(on.path("failed.shardlens"), {Step, Error, Step, Error, Step});
  ASSERT_TRUE(on.open(on.path("failed.shardlens")));
  EXPECT_TRUE(on.shows(QStringLiteral("event 2 of 5"))) << qPrintable(on.position());
}

// Copies differ before the error that stops the run. The search finds that late.
TEST(Window, OpensARecordingAtAProblemBeforeItsFirstError) {
  Window on;
  {
    const auto writer = TraceWriter::create(on.path("differing.shardlens").toStdString()).value();
    Recorder recorder;
    recorder.addSink(*writer);
    recorder.setCapture(CaptureLevel::All);
    recorder.meta("mesh", "2:tp");
    {
      const Span step(recorder, makeStep(recorder, "y = f(x)"));
      const TensorId y = recorder.addTensor("y", {DType::Float32, {1}, {Replicate{}}});
      recorder.note(makeResult(recorder, "y", y, 8, 0));
      for (const int rank : {0, 1}) {
        const auto element = static_cast<float>(rank);
        recorder.value({.tensor = y, .rank = rank, .shape = {1}},
                       std::as_bytes(std::span(&element, 1)));
      }
      recorder.note(makeError(recorder, "y is refused"));
    }
    ASSERT_TRUE(writer->close());
    recorder.removeSinks();
  }
  ASSERT_TRUE(on.open(on.path("differing.shardlens")));
  EXPECT_TRUE(on.shows(QStringLiteral("event 2 of 3"))) << qPrintable(on.position());
}

TEST(Window, OpensACheckedRecordingAtTheFirstDifference) {
  Window on;
  {
    const auto writer = TraceWriter::create(on.path("checked.shardlens").toStdString()).value();
    Recorder recorder;
    recorder.addSink(*writer);
    for (const Verdict verdict : {Verdict::Same, Verdict::Differs, Verdict::Differs}) {
      Event event;
      event.kind = EventKind::Check;
      event.verdict = verdict;
      recorder.note(event);
    }
    ASSERT_TRUE(writer->close());
    recorder.removeSinks();
  }
  ASSERT_TRUE(on.open(on.path("checked.shardlens")));
  EXPECT_TRUE(on.shows(QStringLiteral("event 2 of 3"))) << qPrintable(on.position());
}

TEST(Window, CancelledOpeningLeavesTheDocumentOpen) {
  OnRecording on;
  QFile::copy(on.path("run.shardlens"), on.path("other.shardlens"));
  EXPECT_TRUE(on.window.openPath(on.path("other.shardlens")));
  EXPECT_TRUE(on.window.openPath(on.path("run.shardlens")));
  EXPECT_TRUE(QTest::qWaitFor([&] { return !on.window.isOpening(); }));
  EXPECT_EQ(on.window.document()->path(), on.path("run.shardlens"));
}

// Occupies the threads that open recordings until letGo().
class HeldUp {
 public:
  HeldUp() {
    for (int i = 0; i < pool_.maxThreadCount(); ++i) {
      pool_.start([this] { go_.acquire(); });
    }
  }
  ~HeldUp() { letGo(); }
  void letGo() {
    go_.release(pool_.maxThreadCount());
    pool_.waitForDone();
  }

 private:
  QThreadPool& pool_ = *QThreadPool::globalInstance();
  QSemaphore go_;
};

// Cancels before the recording is read, and after that but before the event loop is notified.
TEST(Window, CancelledDocumentNeverAppears) {
  for (const bool isRead : {false, true}) {
    OnRecording on;
    QFile::copy(on.path("run.shardlens"), on.path("other.shardlens"));
    on.window.cursor().moveTo(7);
    ASSERT_TRUE(on.shows(QStringLiteral("event 7 of 25")));
    HeldUp opening;
    ASSERT_TRUE(on.window.openPath(on.path("other.shardlens")));
    ASSERT_TRUE(QTest::qWaitFor([&] {
      Q_EMIT on.window.opening()->openingProgressed(40);
      return on.message() == QStringLiteral("Opening other.shardlens: 40 %");
    }));
    if (isRead) {
      opening.letGo();
    }
    on.find<QPushButton>("messageAction")->click();
    EXPECT_FALSE(on.window.isOpening());
    EXPECT_TRUE(on.message().isEmpty()) << qPrintable(on.message());
    if (!isRead) {
      opening.letGo();
    }
    QCoreApplication::processEvents();
    EXPECT_EQ(on.window.document()->path(), on.path("run.shardlens"));
    EXPECT_EQ(on.position(), QStringLiteral("event 7 of 25"));
    EXPECT_TRUE(on.message().isEmpty()) << qPrintable(on.message());
    EXPECT_FALSE(on.find<QWidget>("busy")->isVisible());
  }
}

TEST(Window, MissingFileLeavesTheDocumentOpen) {
  OnRecording on;
  EXPECT_FALSE(on.window.openPath(on.path("none.shardlens")));
  EXPECT_TRUE(on.message().contains(QStringLiteral("file not found")));
  on.click("stepButton");
  EXPECT_TRUE(on.shows(QStringLiteral("event 1 of 25")));
  on.click("messageClose");
  EXPECT_FALSE(on.window.messages().isVisible());
}

TEST(Window, NamesADamagedRecording) {
  Window on;
  QFile file(on.path("bad.shardlens"));
  ASSERT_TRUE(file.open(QIODevice::WriteOnly));
  file.write("this is no recording");
  file.close();
  EXPECT_FALSE(on.open(file.fileName()));
  EXPECT_TRUE(on.message().contains(QStringLiteral("bad.shardlens"))) << qPrintable(on.message());
  EXPECT_TRUE(on.window.messages().isVisible());
  EXPECT_TRUE(on.find<QWidget>("welcomePage")->isVisible());
}

TEST(Window, SavesACopyOfARecording) {
  OnRecording on;
  EXPECT_TRUE(on.window.saveRecording(on.path("kept.shardlens")));
  EXPECT_TRUE(on.message().contains(QStringLiteral("kept.shardlens")));
  const auto kept = TraceReader::open(on.path("kept.shardlens").toStdString());
  ASSERT_TRUE(kept);
  EXPECT_EQ((*kept)->journal().size(), 25U);
  EXPECT_FALSE(on.window.saveRecording(on.path("no/such/folder.shardlens")));
  EXPECT_TRUE(on.message().contains(QStringLiteral("does not exist"))) << qPrintable(on.message());
}

}  // namespace
}  // namespace shardlens
