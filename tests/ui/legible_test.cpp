// Renders every panel at five widths of the window, three zooms and in both themes. No text covers
// another one, and no placement or number is elided in its middle.
#include "tests/ui/support/drawn_texts.h"
#include "tests/ui/support/lookup_run.h"
#include "tests/ui/support/window.h"
#include "ui/panels/panel.h"
#include "ui/panels/panel_catalogue.h"

#include <gtest/gtest.h>

#include <QDockWidget>
#include <QRegularExpression>

namespace shardlens {
namespace {

// Returns true for a text that must not be elided where it is: in a number, or in a placement. The
// values of a tensor, which are in brackets, may be elided before its placement.
bool isWronglyElided(const QString& text) {
  static const QRegularExpression kPlacement(QStringLiteral(
      R"(\b(R\b|SS?\d|S\(\d|MaskP|P\().*…[^\]]+|…[^\]]+\b(R\b|SS?\d|S\(\d|MaskP|P\())"));
  static const QRegularExpression kNumber(QStringLiteral(R"(^[-+\d.]*…[-+\d.]*$)"));
  return kPlacement.match(text).hasMatch() || (text.size() > 1 && kNumber.match(text).hasMatch());
}

struct Look {
  double zoom;
  bool dark;
};

class Legible : public testing::TestWithParam<Look> {};

TEST_P(Legible, EveryPanelAtEveryWidth) {
  Window on;
  writeLookup(on.path("run.shardlens"));
  ASSERT_TRUE(on.open(on.path("run.shardlens")));
  on.window.setDark(GetParam().dark);
  on.window.setZoom(GetParam().zoom);
  Journal journal;
  recordLookup(journal);
  on.window.cursor().moveTo(LookupRun::find(journal, EventKind::Result, 3));
  for (const int width : {640, 850, 1024, 1280, 1680}) {
    on.window.resize(width, 900);
    on.window.redraw();
    for (const PanelEntry& entry : panelCatalogue()) {
      auto* panel = on.find<Panel>(entry.id);
      auto* dock = qobject_cast<QDockWidget*>(panel->parentWidget());
      if (dock != nullptr) {
        dock->show();
        dock->raise();
      }
      QCoreApplication::sendPostedEvents();
      QCoreApplication::processEvents();
      const auto texts = drawnTexts(*panel->parentWidget());
      EXPECT_FALSE(texts.empty()) << entry.id;
      EXPECT_EQ(overlapIn(texts), "") << entry.id << ", width " << width;
      for (const DrawnText& drawn : texts) {
        EXPECT_FALSE(isWronglyElided(drawn.text))
            << entry.id << ", width " << width << ": " << drawn.text.toStdString();
      }
    }
  }
  on.window.setZoom(1);
  on.window.setDark(false);
}

INSTANTIATE_TEST_SUITE_P(Looks, Legible,
                         testing::Values(Look{1, false}, Look{1, true}, Look{1.5, false},
                                         Look{1.5, true}, Look{2, false}, Look{2, true}));

}  // namespace
}  // namespace shardlens
