// Tests the panel of all tensors and their uses.
#include "ui/panels/tensors_panel.h"

#include "core/query/history/tensor_uses_table.h"
#include "core/trace/recorder/event_makers.h"
#include "core/trace/snapshot/state_index.h"
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

// The names of tensors have the room.
TEST(Tensors, ANarrowPanelHidesTheModules) {
  Journal journal;
  Recorder recorder;
  recorder.addSink(journal);
  recorder.setSite({.module = "layers.3"});
  recorder.note(
      makeResult(recorder, "y", recorder.addTensor("y", {DType::Float32, {2}, {Shard{0}}}), 8, 0));
  StateIndex states(journal);
  TensorsPanel panel;
  panel.resize(900, 400);
  panel.setSnapshot(journal, states.at(1));
  panel.show();
  const auto* list = panel.findChild<QuietTable*>(QStringLiteral("tensorList"));
  ASSERT_TRUE(QTest::qWaitFor([&] { return list->model()->rowCount() == 1; }));
  EXPECT_FALSE(list->isColumnHidden(TensorColumn::Module));
  panel.resize(500, 400);
  EXPECT_TRUE(list->isColumnHidden(TensorColumn::Module));
  EXPECT_TRUE(list->isColumnHidden(TensorColumn::LastUse));
  EXPECT_EQ(list->model()->index(0, TensorColumn::Name).data(Qt::ToolTipRole).toString(),
            QStringLiteral("y\nlayers.3"));
}

}  // namespace
}  // namespace shardlens
