// Tests recomputing and comparing a cache hit in Caches, with a real engine.
#include "tests/ui/support/recorded_scenario.h"
#include "tests/ui/support/window.h"
#include "ui/panels/caches_panel.h"

#include <gmock/gmock.h>

namespace shardlens {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const std::string kSame = "Recomputed: the result is equal to the cached one.";

// A window at event 49, a cache hit, of a scenario of the gallery.
struct OnHit : Window {
  OnHit() {
    qputenv("SHARDLENS_ENGINE", SHARDLENS_ENGINE);
    EXPECT_TRUE(open(recordingOf(galleryScenario("05-pending-lookups-and-their-masks.json"))));
    go(49);
  }
  void go(EventId position) {
    window.cursor().moveTo(position);
    window.redraw();
  }
  QPushButton& button() { return *find<QPushButton>("checkHit"); }
  bool isChecking() { return !find<QWidget>("checkingHit")->isHidden(); }
  std::string words() { return window.findChild<CachesPanel*>()->explanation().toStdString(); }
  bool isChecked() {
    return QTest::qWaitFor([&] { return !isChecking(); }, 60000);
  }
};

TEST(CacheCheck, ConfirmsAHit) {
  OnHit on;
  ASSERT_FALSE(on.button().isHidden());
  EXPECT_THAT(on.words(), Not(HasSubstr(kSame)));
  on.button().click();
  EXPECT_TRUE(on.isChecking());
  EXPECT_EQ(on.button().text(), QStringLiteral("Cancel"));
  ASSERT_TRUE(on.isChecked());
  EXPECT_THAT(on.words(), HasSubstr(kSame));
  on.go(51);
  EXPECT_THAT(on.words(), Not(HasSubstr(kSame)));
  on.go(49);
  EXPECT_THAT(on.words(), HasSubstr(kSame));
}

TEST(CacheCheck, IsCancelled) {
  OnHit on;
  on.button().click();
  on.button().click();
  EXPECT_FALSE(on.isChecking());
  EXPECT_EQ(on.button().text(), QStringLiteral("Recompute and compare"));
  EXPECT_THAT(on.words(), Not(HasSubstr(kSame)));
}

TEST(CacheCheck, ReportsAnEngineError) {
  OnHit on;
  qputenv("SHARDLENS_ENGINE", "/nowhere/engine");
  on.button().click();
  ASSERT_TRUE(on.isChecked());
  EXPECT_THAT(on.words(), HasSubstr("could not be started: /nowhere/engine"));
}

TEST(CacheCheck, IsOfferedOnlyForHits) {
  OnHit on;
  const Journal& journal = on.window.cursor().journal();
  EventId miss = 1;
  while (journal.at(miss).verdict != Verdict::Miss) ++miss;
  on.go(miss);
  EXPECT_TRUE(on.button().isHidden());
}

}  // namespace
}  // namespace shardlens
