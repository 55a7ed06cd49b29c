#include "ui/scenes/whole_scene.h"

#include "tests/ui/support/laid.h"

#include <gmock/gmock.h>

#include <limits>

namespace shardlens {
namespace {

TEST(WholeScene, CountsOmittedRowsAndColumns) {
  Laid laid = tensor("2:tp", {100, 100}, {Shard{0}});
  const auto lay = [&](QSizeF area) { return layoutWhole(laid.view, laid.whole, area, false); };
  const WholeScene scene = lay({500, 56});
  EXPECT_EQ(scene.left, QStringLiteral("and 99 more rows, 45 more columns"));
  for (const WholeCell& cell : scene.cells) {
    EXPECT_FALSE(cell.rect.intersects(scene.leftRect));
  }
  EXPECT_EQ(lay({900, 3000}).left, QString());
}

TEST(WholeScene, NumbersRowsByAllDimensionsButTheLast) {
  Laid laid = tensor("2:tp", {2, 2, 3}, {Shard{0}});
  const WholeScene scene = layoutWhole(laid.view, laid.whole, {800, 56}, false);
  ASSERT_EQ(scene.labels.size(), 4U);
  EXPECT_EQ(scene.labels[1].second, QStringLiteral("0,1"));
}

// A large tensor is not assembled at once; only the drawn elements are.
TEST(WholeScene, DrawsTheFirstElementsOfALargeTensor) {
  Laid laid = tensor("128:tp", {20000, 100}, {Shard{0}});
  std::vector<float> first(157 * 100);  // the shard of rank 0
  first[101] = std::numeric_limits<float>::infinity();
  overwrite(laid.journal, 0, first);
  laid.at(laid.journal.size(), 1);
  EXPECT_TRUE(laid.whole.isLarge);
  EXPECT_TRUE(laid.whole.values.empty());
  const WholeScene scene = layoutWhole(laid.view, laid.whole, {4700, 120}, false);
  ASSERT_GT(scene.cells.size(), 101U);
  EXPECT_FALSE(scene.cells[100].odd);
  EXPECT_TRUE(scene.cells[101].odd);
  EXPECT_FALSE(scene.left.isEmpty());
}

}  // namespace
}  // namespace shardlens
