// Tests the panel of all tensors and their uses.
#include "ui/panels/tensors_panel.h"

#include "tests/ui/support/on_recording.h"
#include "tests/view/lookup_run.h"
#include "ui/models/table_model.h"
#include "ui/widgets/table_view.h"

#include <gmock/gmock.h>

#include <QDockWidget>
#include <QLineEdit>

namespace shardlens {
namespace {

struct OnTensors : OnRecording {
  OnTensors() {
    auto* dock = find<QDockWidget>("tensorsPanelDock");
    dock->show();
    dock->raise();
    EXPECT_TRUE(QTest::qWaitFor([&] { return list()->model()->rowCount() > 0; }));
    EXPECT_TRUE(QTest::qWaitFor([&] { return !panel()->isReading(); }));
  }
  TensorsPanel* panel() { return find<TensorsPanel>("tensorsPanel"); }
  QuietTable* list() { return find<QuietTable>("tensorList"); }
  QuietTable* uses() { return find<QuietTable>("tensorUses"); }
  QStringList column(const QuietTable& table, int column) {
    QStringList texts;
    for (int row = 0; row < table.model()->rowCount(); ++row) {
      texts << table.model()->index(row, column).data().toString();
    }
    return texts;
  }
  void select(const QString& name) {
    const int row = static_cast<int>(column(*list(), 1).indexOf(name));
    ASSERT_GE(row, 0);
    list()->setCurrentIndex(list()->model()->index(row, 0));
  }
};

TEST(Tensors, ListAllAndTheUsesOfTheSelectedOne) {
  OnTensors on;
  ASSERT_TRUE(on.opened);
  EXPECT_EQ(on.column(*on.list(), 1), QStringList({"w", "x", "x'", "y", "z"}));
  on.select(QStringLiteral("y"));
  EXPECT_EQ(on.find<QLabel>("usesTitle")->text(), QStringLiteral("Uses of y"));
  EXPECT_EQ(on.column(*on.uses(), 1), QStringList({"made", "moved", "masked", "mask released"}));
}

TEST(Tensors, AUseLeadsToItsEvent) {
  OnTensors on;
  on.select(QStringLiteral("y"));
  const auto masked = LookupRun::find(on.window.cursor().journal(), EventKind::MaskApplied);
  on.uses()->setCurrentIndex(on.uses()->model()->index(2, 0));
  QTest::keyClick(on.uses(), Qt::Key_Return);
  EXPECT_EQ(on.window.cursor().position(), masked);
  const auto isMarked = [&] {
    return on.uses()->model()->index(2, 0).data(TableModel::MarkedRole).toBool();
  };
  EXPECT_TRUE(QTest::qWaitFor(isMarked));
}

TEST(Tensors, TypingFilters) {
  OnTensors on;
  QTest::keyClicks(on.list(), QStringLiteral("int64"));
  on.list()->setFocus();
  EXPECT_TRUE(on.column(*on.list(), 1).isEmpty());
  auto* line = on.panel()->findChild<QLineEdit*>();
  line->setText(QStringLiteral("i64[6] maskp"));
  EXPECT_EQ(on.column(*on.list(), 1), QStringList({"x'"}));
}

}  // namespace
}  // namespace shardlens
