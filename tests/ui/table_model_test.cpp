#include "ui/models/table_model.h"

#include "tests/ui/support/model_text.h"

#include <gtest/gtest.h>

#include <QAbstractItemModelTester>
#include <QPersistentModelIndex>
#include <QSignalSpy>

namespace shardlens {
namespace {

view::Cell number(double value) {
  return {.text = std::to_string(static_cast<int>(value)), .number = value};
}

view::Table table() {
  return {.columns = {{.title = "key", .beginsAlike = true}, {"hits", view::Align::Right}},
          .rows = {{.cells = {{"f32[4](R), S(0)"}, number(9)}, .tooltip = "first", .event = 4},
                   {.cells = {{"f32[4](R), S(0), materialized", view::Tone::Good}, number(10)},
                    .marked = true},
                   {.cells = {{"i64"}}}}};
}

struct Model {
  Model() { model.setTable(table()); }
  QVariant at(int row, int column, int role) const { return model.index(row, column).data(role); }
  TableModel model;
  QAbstractItemModelTester tester{&model, QAbstractItemModelTester::FailureReportingMode::Fatal};
};

TEST(TableModel, SaysOfCellsWhatTheTableSays) {
  const Model on;
  EXPECT_EQ(modelText(on.model),
            "f32[4](R), S(0) | 9\n"
            "f32[4](R), S(0), materialized | 10\n"
            "i64 | \n");
  EXPECT_EQ(on.model.headerData(1, Qt::Horizontal, Qt::DisplayRole), QStringLiteral("hits"));
  EXPECT_EQ(on.at(0, 0, Qt::ToolTipRole), QStringLiteral("first"));
  EXPECT_EQ(on.at(0, 1, TableModel::EventRole).toUInt(), 4U);
  EXPECT_EQ(on.at(1, 0, TableModel::ToneRole).toInt(), static_cast<int>(view::Tone::Good));
  EXPECT_TRUE(on.at(1, 1, TableModel::MarkedRole).toBool());
  EXPECT_EQ(on.model.markedRow(), 1);
  const auto aligned = [&](int column) {
    return Qt::Alignment(on.at(0, column, Qt::TextAlignmentRole).toInt());
  };
  EXPECT_TRUE(aligned(0).testFlag(Qt::AlignLeft));
  EXPECT_TRUE(aligned(1).testFlag(Qt::AlignRight));
}

TEST(TableModel, KnowsHowFarATextIsLikeAnother) {
  const Model on;
  EXPECT_EQ(on.at(0, 0, TableModel::SharedRole).toInt(), 15);
  EXPECT_EQ(on.at(1, 0, TableModel::SharedRole).toInt(), 15);
  EXPECT_EQ(on.at(1, 1, TableModel::SharedRole).toInt(), 0);
  EXPECT_EQ(on.at(2, 0, TableModel::SharedRole).toInt(), 0);
}

TEST(TableModel, SortsNumbersAsNumbersAndGivesItsOwnOrderBack) {
  Model on;
  const QPersistentModelIndex marked = on.model.index(1, 0);
  on.model.sort(1, Qt::DescendingOrder);
  EXPECT_EQ(modelText(on.model),
            "f32[4](R), S(0), materialized | 10\n"
            "f32[4](R), S(0) | 9\n"
            "i64 | \n");
  EXPECT_EQ(marked.row(), 0);
  EXPECT_EQ(on.model.markedRow(), 0);
  on.model.sort(1, Qt::AscendingOrder);
  EXPECT_EQ(on.at(0, 0, Qt::DisplayRole), QStringLiteral("i64"));
  EXPECT_EQ(marked.row(), 2);
  on.model.sort(0, Qt::DescendingOrder);
  EXPECT_EQ(on.at(0, 0, Qt::DisplayRole), QStringLiteral("i64"));
  on.model.sort(-1, Qt::AscendingOrder);
  EXPECT_EQ(on.at(0, 1, Qt::DisplayRole), QStringLiteral("9"));
}

TEST(TableModel, StaysSortedAndIsResetOnlyByAnotherTable) {
  Model on;
  on.model.sort(1, Qt::DescendingOrder);
  QSignalSpy reset(&on.model, &QAbstractItemModel::modelReset);
  on.model.setTable(table());
  EXPECT_EQ(reset.count(), 0);
  view::Table more = table();
  more.rows.push_back({.cells = {{"more"}, number(11)}});
  on.model.setTable(more);
  EXPECT_EQ(reset.count(), 1);
  EXPECT_EQ(on.at(0, 0, Qt::DisplayRole), QStringLiteral("more"));
}

TEST(TableModel, ShowsTheRowsThatAFilterLetsThrough) {
  Model on;
  on.model.setFilter(rowsWith({QStringLiteral("S(0)"), QStringLiteral("f32")}));
  EXPECT_EQ(modelText(on.model),
            "f32[4](R), S(0) | 9\n"
            "f32[4](R), S(0), materialized | 10\n");
  EXPECT_EQ(on.model.allRows(), 3);
  on.model.sort(1, Qt::DescendingOrder);
  EXPECT_EQ(on.at(0, 1, Qt::DisplayRole), QStringLiteral("10"));
  EXPECT_EQ(on.model.markedRow(), 0);
  on.model.setFilter(rowsWith({QStringLiteral("MATERIALIZED"), QStringLiteral("1")}));
  EXPECT_EQ(modelText(on.model), "f32[4](R), S(0), materialized | 10\n");  // of two cells
  on.model.setFilter(rowsWith({QStringLiteral("9")}));
  EXPECT_EQ(on.model.markedRow(), -1);
  view::Table more = table();
  more.rows.push_back({.cells = {{"more"}, number(19)}});
  on.model.setTable(more);
  EXPECT_EQ(modelText(on.model),
            "more | 19\n"
            "f32[4](R), S(0) | 9\n");
  EXPECT_EQ(on.model.find(more.rows[0].cells), 1);
  EXPECT_EQ(on.model.find(more.rows[1].cells), -1);
  on.model.setFilter({});
  EXPECT_EQ(on.model.rowCount(), 4);
}

TEST(TableModel, WithoutAFilterNothingIsDone) {
  EXPECT_FALSE(rowsWith({}));
  Model on;
  QSignalSpy reset(&on.model, &QAbstractItemModel::modelReset);
  on.model.setFilter({});
  EXPECT_EQ(reset.count(), 0);
}

}  // namespace
}  // namespace shardlens
