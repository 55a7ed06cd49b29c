#include "ui/models/table_model.h"

#include "tests/ui/support/drawn_texts.h"
#include "tests/ui/support/model_text.h"
#include "ui/widgets/table_view.h"

#include <gtest/gtest.h>

#include <QAbstractItemModelTester>
#include <QCoreApplication>
#include <QPersistentModelIndex>
#include <QSignalSpy>
#include <QTest>
#include <utility>

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

view::Table tableWith(view::Row another) {
  view::Table more = table();
  auto rows = more.rows.all();
  rows.push_back(std::move(another));
  more.rows = std::move(rows);
  return more;
}

struct Model {
  Model() { model.setTable(table()); }
  QVariant at(int row, int column, int role) const { return model.index(row, column).data(role); }
  TableModel model;
  QAbstractItemModelTester tester{&model, QAbstractItemModelTester::FailureReportingMode::Fatal};
};

TEST(TableModel, CopiesTheTextsOfTheTable) {
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

TEST(TableModel, ComparesTextsWithTheirNeighbours) {
  const Model on;
  EXPECT_EQ(on.at(0, 0, TableModel::SharedRole).value<SharedLengths>().start, 15);
  EXPECT_EQ(on.at(1, 0, TableModel::SharedRole).value<SharedLengths>().start, 15);
  EXPECT_EQ(on.at(1, 1, TableModel::SharedRole).value<SharedLengths>().start, 0);
  EXPECT_EQ(on.at(2, 0, TableModel::SharedRole).value<SharedLengths>().start, 0);
  EXPECT_EQ(on.at(2, 0, TableModel::SharedRole).value<SharedLengths>().end, 0);
  Model other;
  other.model.setTable(tableWith({.cells = {{"f32[9](R), S(0), materialized"}}}));
  EXPECT_EQ(other.at(3, 0, TableModel::SharedRole).value<SharedLengths>().start, 4);
  EXPECT_EQ(other.at(3, 0, TableModel::SharedRole).value<SharedLengths>().end, 24);
}

TEST(TableModel, SharesWholeCharacters) {
  // The bytes of both letters in UTF-8 end alike.
  view::Table letters = table();
  letters.rows =
      std::vector<view::Row>{{.cells = {{"a \u03B1 b"}, {}}}, {.cells = {{"a \u00F1 b"}, {}}}};
  Model on;
  on.model.setTable(letters);
  EXPECT_EQ(on.at(0, 0, TableModel::SharedRole).value<SharedLengths>().start, 2);
  EXPECT_EQ(on.at(0, 0, TableModel::SharedRole).value<SharedLengths>().end, 2);
}

TEST(TableModel, SortsNumbersByValueAndRestoresTheOrder) {
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

TEST(TableModel, StaysSortedUntilAnotherTable) {
  Model on;
  on.model.sort(1, Qt::DescendingOrder);
  QSignalSpy reset(&on.model, &QAbstractItemModel::modelReset);
  on.model.setTable(table());
  EXPECT_EQ(reset.count(), 0);
  on.model.setTable(tableWith({.cells = {{"more"}, number(11)}}));
  EXPECT_EQ(reset.count(), 1);
  EXPECT_EQ(on.at(0, 0, Qt::DisplayRole), QStringLiteral("more"));
}

TEST(TableModel, ShowsFilteredRows) {
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
  const view::Table more = tableWith({.cells = {{"more"}, number(19)}});
  on.model.setTable(more);
  EXPECT_EQ(modelText(on.model),
            "more | 19\n"
            "f32[4](R), S(0) | 9\n");
  EXPECT_EQ(on.model.find(more.rows[0].cells, 0), 1);
  EXPECT_EQ(on.model.find(more.rows[1].cells, 0), -1);
  on.model.setFilter({});
  EXPECT_EQ(on.model.rowCount(), 4);
}

// Makes tables with the rows "row 0", "row 1", ... and counts the rows that were built.
struct LongTable {
  view::Table table(std::size_t size, std::uint64_t version = 0) {
    const auto at = [this](std::size_t place) {
      ++built;
      return view::Row{
          .cells = {{"row " + std::to_string(place)}, number(static_cast<double>(place % 1000))}};
    };
    return {.columns = {{.title = "key", .beginsAlike = true}, {"number", view::Align::Right}},
            .rows = view::Rows(view::Rows::Source{
                .size = size, .at = at, .marked = size / 2, .version = {version}})};
  }
  std::size_t built = 0;
};

TEST(TableModel, BuildsOnlyRequestedRows) {
  LongTable rows;
  TableModel model;
  model.setTable(rows.table(1000000));
  EXPECT_EQ(model.rowCount(), 1000000);
  EXPECT_EQ(model.markedRow(), 500000);
  EXPECT_EQ(rows.built, 0U);
  EXPECT_EQ(model.index(500000, 0).data(), QStringLiteral("row 500000"));
  EXPECT_TRUE(model.index(500000, 1).data(TableModel::MarkedRole).toBool());
  EXPECT_FALSE(model.index(500001, 1).data(TableModel::MarkedRole).toBool());
  EXPECT_EQ(rows.built, 2U);
  EXPECT_EQ(model.index(500000, 0).data(TableModel::SharedRole).value<SharedLengths>().start, 9);
  EXPECT_EQ(rows.built, 2U * TableModel::kNear + 1);
}

TEST(TableModel, NewVersionResetsALongTable) {
  LongTable rows;
  TableModel model;
  QSignalSpy reset(&model, &QAbstractItemModel::modelReset);
  model.setTable(rows.table(2000));
  model.setTable(rows.table(2000));
  EXPECT_EQ(reset.count(), 1);
  model.setTable(rows.table(2000, 1));
  EXPECT_EQ(reset.count(), 2);
  model.setTable(rows.table(2001, 1));
  EXPECT_EQ(reset.count(), 3);
  EXPECT_EQ(rows.built, 0U);
}

// Filtering and sorting run in slices, between which the event loop runs.
TEST(TableModel, FiltersAndSortsALongTableInSlices) {
  LongTable rows;
  TableModel model;
  QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
  model.setTable(rows.table(2000));
  rows.built = 0;
  const auto built = [&] { return std::exchange(rows.built, 0); };
  model.setFilter(rowsWith({QStringLiteral("99")}));
  EXPECT_EQ(model.rowCount(), 2000);  // unchanged until all rows were checked
  EXPECT_LT(built(), 1000U);
  std::size_t most = 0;
  while (model.rowCount() == 2000) {
    QCoreApplication::processEvents();
    most = std::max(most, built());
  }
  EXPECT_LT(most, 1000U);
  EXPECT_EQ(model.rowCount(), 38);  // 19 of each thousand
  EXPECT_EQ(model.index(0, 0).data(), QStringLiteral("row 99"));

  model.setTable(rows.table(1500, 1));  // removed rows disappear
  EXPECT_EQ(model.rowCount(), 24);
  EXPECT_LT(built(), 1000U);

  model.sort(1, Qt::DescendingOrder);
  EXPECT_EQ(model.index(0, 0).data(), QStringLiteral("row 99"));
  ASSERT_TRUE(QTest::qWaitFor(
      [&] { return model.index(0, 0).data().toString() == QStringLiteral("row 999"); }));
  model.setFilter({});
  model.sort(-1, Qt::AscendingOrder);
  EXPECT_EQ(model.rowCount(), 1500);
  EXPECT_EQ(model.index(0, 0).data(), QStringLiteral("row 0"));
}

TEST(TableModel, FindsARowNearItsOldIndex) {
  LongTable rows;
  TableModel model;
  model.setTable(rows.table(100000));
  const auto cells = model.rowAt(5000).cells;
  EXPECT_EQ(model.find(cells, 5000), 5000);
  EXPECT_EQ(model.find(cells, 5000 - TableModel::kNear), 5000);
  EXPECT_EQ(model.find(cells, 5000 + TableModel::kNear), 5000);
  EXPECT_EQ(model.find(cells, 5001 + TableModel::kNear), -1);
  EXPECT_EQ(model.find(cells, 4999 - TableModel::kNear), -1);
}

TEST(TableModel, EmptyFilterIsFree) {
  EXPECT_FALSE(rowsWith({}));
  Model on;
  QSignalSpy reset(&on.model, &QAbstractItemModel::modelReset);
  on.model.setFilter({});
  EXPECT_EQ(reset.count(), 0);
}

// The cells of a column are alike, whether they fit or not.
TEST(QuietTable, ShortensPlacementsInAllCellsIfCompact) {
  Model on;
  const auto drawn = [&](bool isCompact) {
    QuietTable view(QStringLiteral("view"), on.model, {.isCompact = isCompact});
    view.resize(700, 200);
    view.setColumnWidth(0, 400);
    QStringList texts;
    for (const DrawnText& each : drawnTexts(view)) texts << each.text;
    return texts;
  };
  EXPECT_TRUE(drawn(false).contains(QStringLiteral("f32[4](R), S(0)")));
  EXPECT_TRUE(drawn(true).contains(QStringLiteral("f32[4]R, S0")));
}

}  // namespace
}  // namespace shardlens
