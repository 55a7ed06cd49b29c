// Tests that the README's pictures show the present window. UPDATE_GOLDEN=1 rewrites them.
#include "ui/shell/picture.h"

#include "tests/ui/support/golden_picture.h"
#include "tests/ui/support/lookup_run.h"
#include "tests/ui/support/window.h"

#include <gtest/gtest.h>

#include <QDir>
#include <QFile>
#include <QImage>
#include <QPainter>
#include <QSvgRenderer>

namespace shardlens {
namespace {

struct Picture {
  const char* name;
  int nth;  // of the results
  ColourScheme scheme;
};

class Pictures : public testing::TestWithParam<Picture> {};

TEST_P(Pictures, MatchTheWindow) {
  if (!matchesGolden()) {
    GTEST_SKIP() << "drawn with Debian 12's Qt 6.4.2 and DejaVu Sans, this is Qt " << qVersion();
  }
  const Picture& picture = GetParam();
  const QDir source(QStringLiteral(SHARDLENS_SOURCE_DIR "/resources"));
  Window on;
  Journal journal;
  recordLookup(journal);
  writeWithTimes(journal, on.path("lookup.shardlens"));
  on.window.resize(1680, 1050);
  on.window.setDark(picture.scheme == ColourScheme::Dark);
  ASSERT_TRUE(on.open(on.path("lookup.shardlens")));
  const EventId position = LookupRun::find(journal, EventKind::Result, picture.nth);
  const QString made = on.path("made.png");
  ASSERT_TRUE(takePicture(on.window, position, made));
  on.window.setDark(false);

  const QString kept = source.filePath(QStringLiteral("pictures/") + QLatin1String(picture.name));
  expectGolden(QImage(made), kept, QLatin1String(picture.name));
}

// The recording in tests/python/samples is that of the program in README's first minute.
TEST(Picture, OfAPythonProgramMatchesTheWindow) {
  if (!matchesGolden()) {
    GTEST_SKIP() << "drawn with Debian 12's Qt 6.4.2 and DejaVu Sans, this is Qt " << qVersion();
  }
  Window on;
  ASSERT_TRUE(
      QFile::copy(QStringLiteral(SHARDLENS_SOURCE_DIR "/tests/python/samples/first.shardlens"),
                  on.path("run.shardlens")));
  on.window.resize(1680, 1050);
  ASSERT_TRUE(on.open(on.path("run.shardlens")));
  constexpr EventId kReduceScatter = 21;
  const QString made = on.path("made.png");
  ASSERT_TRUE(takePicture(on.window, kReduceScatter, made));
  expectGolden(QImage(made),
               QStringLiteral(SHARDLENS_SOURCE_DIR "/resources/pictures/window-python.png"),
               QStringLiteral("window-python.png"));
}

// SVG pictures have no clipping, so nothing may be drawn outside of its area.
TEST(Picture, SvgLooksLikePng) {
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

TEST(Picture, OfAPanelHasTheSizeAndNoButtons) {
  Window on;
  Journal journal;
  recordLookup(journal);
  writeWithTimes(journal, on.path("lookup.shardlens"));
  ASSERT_TRUE(on.open(on.path("lookup.shardlens")));
  const auto* buttons = on.find<QWidget>("problemsPanelDock")->findChild<QWidget*>("close");
  const QSize before = on.find<QWidget>("shardsPanel")->size();
  for (const char* panel : {"problems", "shards", "timeline"}) {
    for (const QSize size : {QSize(900, 480), QSize(300, 200)}) {
      ASSERT_TRUE(takePicture(on.window, 25, on.path("panel.png"), QLatin1String(panel), size));
      EXPECT_EQ(QImage(on.path("panel.png")).size(), size) << panel;
    }
  }
  QCoreApplication::processEvents();
  EXPECT_FALSE(buttons->isHidden());
  EXPECT_EQ(on.find<QWidget>("shardsPanel")->size(), before);
}

INSTANTIATE_TEST_SUITE_P(Readme, Pictures,
                         testing::Values(Picture{"window.png", 3, ColourScheme::Light},
                                         Picture{"window-dark.png", 4, ColourScheme::Dark}),
                         [](const auto& info) {
                           return std::string(info.param.scheme == ColourScheme::Dark ? "Dark"
                                                                                      : "Light");
                         });

}  // namespace
}  // namespace shardlens
