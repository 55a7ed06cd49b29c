// The README's pictures are what the window shows today. UPDATE_GOLDEN=1 makes them anew.
#include "ui/shell/picture.h"

#include "core/trace/file/trace_writer.h"
#include "tests/ui/support/lookup_run.h"
#include "tests/ui/support/window.h"

#include <gtest/gtest.h>

#include <QDir>
#include <QFontInfo>
#include <QImage>
#include <QPainter>
#include <QSvgRenderer>

namespace shardlens {
namespace {

// Times differ from run to run. In the pictures each event takes as long as this: one that has
// others inside longer than they do together.
void setTimes(std::vector<Event>& events) {
  std::vector<std::int64_t> inside(events.size() + 1, 0);
  for (std::size_t id = events.size(); id > 0; --id) {
    Event& event = events[id - 1];
    event.time = static_cast<std::int64_t>(20'000 * id);
    event.duration = event.duration == 0
                         ? 0
                         : inside[id] + static_cast<std::int64_t>(3'100 + 700 * (id * 7 % 13));
    inside[event.parent] += event.duration;
  }
}

void writeWithTimes(const Journal& journal, const QString& path) {
  const auto writer = TraceWriter::create(path.toStdString()).value();
  for (const auto& [key, value] : journal.meta()) {
    writer->onMeta(key, value);
  }
  for (StringId id = 1; id <= journal.strings(); ++id) {
    writer->onString(id, journal.text(id));
  }
  for (SpecId id = 1; id <= journal.specs(); ++id) {
    writer->onSpec(id, journal.spec(id));
  }
  for (TensorId id = 1; id <= journal.tensors(); ++id) {
    writer->onTensor(id, journal.nameOf(id), journal.specOf(id));
  }
  std::vector<Event> events;
  for (EventId id = 1; id <= journal.size(); ++id) {
    events.push_back(journal.at(id));
  }
  setTimes(events);
  for (EventId id = 1; id <= journal.size(); ++id) {
    writer->onEvent(id, events[id - 1]);
  }
  for (std::size_t number = 0; number < journal.values().size(); ++number) {
    ValueRecord value = journal.values().at(number).value();
    value.data = journal.elements(value);
    writer->onValue(value);
  }
  ASSERT_TRUE(writer->close());
}

// Pixels that a person could tell apart, or that differ by more than this.
int differences(const QImage& left, const QImage& right, int visible = 12) {
  if (left.size() != right.size()) {
    return left.width() * left.height();
  }
  int count = 0;
  for (int y = 0; y < left.height(); ++y) {
    for (int x = 0; x < left.width(); ++x) {
      const QColor a = left.pixelColor(x, y);
      const QColor b = right.pixelColor(x, y);
      count += std::abs(a.red() - b.red()) > visible || std::abs(a.green() - b.green()) > visible ||
               std::abs(a.blue() - b.blue()) > visible;
    }
  }
  return count;
}

struct Picture {
  const char* name;
  int nth;  // of the results
  Look look;
};

class Pictures : public testing::TestWithParam<Picture> {};

TEST_P(Pictures, AreWhatTheWindowShows) {
  if (QLatin1String(qVersion()) != QStringLiteral("6.4.2") ||
      QFontInfo(textFont(12)).family() != QStringLiteral("DejaVu Sans")) {
    GTEST_SKIP() << "drawn with Debian 12's Qt 6.4.2 and DejaVu Sans, this is Qt " << qVersion();
  }
  const Picture& picture = GetParam();
  const QDir source(QStringLiteral(SHARDLENS_SOURCE_DIR "/resources"));
  Window on;
  Journal journal;
  recordLookup(journal);
  writeWithTimes(journal, on.path("lookup.shardlens"));
  on.window.resize(1680, 1050);
  on.window.setDark(picture.look == Look::Dark);
  ASSERT_TRUE(on.open(on.path("lookup.shardlens")));
  const EventId position = LookupRun::find(journal, EventKind::Result, picture.nth);
  const QString made = on.path("made.png");
  ASSERT_TRUE(takePicture(on.window, position, made));
  on.window.setDark(false);

  const QString kept = source.filePath(QStringLiteral("pictures/") + QLatin1String(picture.name));
  if (qEnvironmentVariableIsSet("UPDATE_GOLDEN")) {
    QFile::remove(kept);
    ASSERT_TRUE(QFile::copy(made, kept));
  }
  constexpr int kMost = 20;
  const int different = differences(QImage(made), QImage(kept));
  const QString actual =
      QStringLiteral(SHARDLENS_BINARY_DIR "/actual-") + QLatin1String(picture.name);
  QFile::remove(actual);
  if (different > kMost) {
    QFile::copy(made, actual);
  }
  EXPECT_LE(different, kMost) << picture.name << " is out of date, see " << qPrintable(actual)
                              << "; UPDATE_GOLDEN=1 makes it anew";
}

// An SVG has no clip: nothing may be drawn beyond its place.
TEST(Picture, InLinesLooksLikeThatInDots) {
  Window on;
  Journal journal;
  recordLookup(journal);
  writeWithTimes(journal, on.path("lookup.shardlens"));
  ASSERT_TRUE(on.open(on.path("lookup.shardlens")));
  const EventId position = LookupRun::find(journal, EventKind::Result, 3);
  const QString panel = QStringLiteral("shards");
  ASSERT_TRUE(takePicture(on.window, position, on.path("dots.png"), panel));
  ASSERT_TRUE(takePicture(on.window, position, on.path("lines.svg"), panel));
  const QImage dots(on.path("dots.png"));
  QImage lines(dots.size(), QImage::Format_RGB32);
  lines.fill(Qt::white);
  QPainter painter(&lines);
  QSvgRenderer(on.path("lines.svg")).render(&painter);
  painter.end();
  constexpr int kStriking = 100;
  EXPECT_LE(differences(dots, lines, kStriking), dots.width() * dots.height() / 200);
}

INSTANTIATE_TEST_SUITE_P(Readme, Pictures,
                         testing::Values(Picture{"window.png", 3, Look::Light},
                                         Picture{"window-dark.png", 4, Look::Dark}),
                         [](const auto& info) {
                           return std::string(info.param.look == Look::Dark ? "Dark" : "Light");
                         });

}  // namespace
}  // namespace shardlens
