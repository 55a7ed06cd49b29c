// Compares pictures of each panel, at the step where a lookup is pending: light and dark, small and
// large, at single and double pixel density. UPDATE_GOLDEN=1 rewrites the pictures.
#include "core/trace/merge/trace_reader.h"
#include "core/trace/snapshot/state_index.h"
#include "tests/ui/support/golden_picture.h"
#include "tests/ui/support/lookup_run.h"
#include "ui/models/problem_watch.h"
#include "ui/panels/panel_catalogue.h"
#include "ui/panels/problems_panel.h"
#include "ui/panels/timeline_panel.h"
#include "ui/shell/style.h"
#include "ui/widgets/motion.h"

#include <gtest/gtest.h>

#include <QDir>
#include <QTemporaryDir>
#include <QTest>

namespace shardlens {
namespace {

struct Drawn {
  ColourScheme scheme;
  QSize size;
  int density;  // pixels of the screen per pixel of the panel
};

// Covers all pairs of the three settings.
const Drawn kDrawn[] = {{ColourScheme::Light, {280, 200}, 1},
                        {ColourScheme::Dark, {280, 200}, 2},
                        {ColourScheme::Dark, {440, 320}, 1},
                        {ColourScheme::Light, {440, 320}, 2}};

class PanelPictures : public testing::TestWithParam<std::string> {
 protected:
  ~PanelPictures() override { applyColourScheme(*qApp, ColourScheme::Light); }

  static const PanelEntry& entry() {
    const auto& all = panelCatalogue();
    return *std::find_if(all.begin(), all.end(),
                         [](const PanelEntry& each) { return each.id == GetParam(); });
  }
};

TEST_P(PanelPictures, MatchTheGoldens) {
  if (!matchesGolden()) {
    GTEST_SKIP() << "drawn with Debian 12's Qt 6.4.2 and DejaVu Sans, this is Qt " << qVersion();
  }
  Motion::setEnabled(false);
  const QTemporaryDir folder;
  Journal lookup;
  recordLookup(lookup);
  const QString file = folder.filePath(QStringLiteral("lookup.shardlens"));
  writeWithTimes(lookup, file);
  const auto reader = TraceReader::open(file.toStdString()).value();
  const Journal& journal = reader->journal();
  StateIndex states(journal);
  ProblemWatch watch;
  watch.setJournal(journal, RunState::Ended);
  const EventId position = LookupRun::find(journal, EventKind::Result, 3);
  for (const Drawn& drawn : kDrawn) {
    applyColourScheme(*qApp, drawn.scheme);
    const std::unique_ptr<Panel> panel(makePanel(entry()));
    if (auto* problems = qobject_cast<ProblemsPanel*>(panel.get())) {
      problems->setWatch(watch);
    }
    panel->resize(drawn.size);
    panel->show();
    panel->setSnapshot(journal, states.at(position));
    const auto* timeline = qobject_cast<const TimelinePanel*>(panel.get());
    EXPECT_TRUE(QTest::qWaitFor(
        [&] { return !watch.isSearching() && (timeline == nullptr || timeline->isComplete()); }));
    panel->setSnapshot(journal, states.at(position));
    QCoreApplication::processEvents();
    QImage image(drawn.size * drawn.density, QImage::Format_RGB32);
    image.setDevicePixelRatio(drawn.density);
    image.fill(theme().window);
    panel->render(&image);
    image.setDevicePixelRatio(1);
    const QString name =
        QStringLiteral("%1-%2-%3x%4@%5.png")
            .arg(shortNameOf(entry()), drawn.scheme == ColourScheme::Dark ? QStringLiteral("dark")
                                                                          : QStringLiteral("light"))
            .arg(drawn.size.width())
            .arg(drawn.size.height())
            .arg(drawn.density);
    expectGolden(image, QStringLiteral(SHARDLENS_SOURCE_DIR "/tests/ui/goldens/panels/") + name,
                 name);
  }
}

std::vector<std::string> allPanels() {
  std::vector<std::string> ids;
  for (const PanelEntry& entry : panelCatalogue()) ids.emplace_back(entry.id);
  return ids;
}

INSTANTIATE_TEST_SUITE_P(Each, PanelPictures, testing::ValuesIn(allPanels()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace shardlens
