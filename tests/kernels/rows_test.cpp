#include "kernels/rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace shardlens::kernels {
namespace {

template <class Id>
class Rows : public testing::Test {
 protected:
  static Ids idsOf(const std::vector<Id>& ids) {
    return {.data = ids.data(),
            .type = sizeof(Id) == 4 ? IdType::Int32 : IdType::Int64,
            .count = static_cast<std::int64_t>(ids.size())};
  }
};
using IdTypes = testing::Types<std::int32_t, std::int64_t>;
TYPED_TEST_SUITE(Rows, IdTypes);

// A shard of a table whose row r has the elements 10r, 10r + 1, ...
template <class T>
struct Table {
  Table(RowRange range, std::int64_t width)
      : rows(range), data(static_cast<std::size_t>(range.count * width)) {
    for (std::int64_t i = 0; i < range.count * width; ++i) {
      const std::int64_t row = range.begin + i / width;
      data[static_cast<std::size_t>(i)] = static_cast<T>(10 * row + i % width);
    }
    shard = {.data = data.data(),
             .rowBytes = width * static_cast<std::int64_t>(sizeof(T)),
             .rows = rows};
  }
  RowRange rows;
  std::vector<T> data;
  TableShard shard;
};

TYPED_TEST(Rows, AreLookedUpWhereOwnedAndZeroElsewhere) {
  const Table<float> table({.begin = 3, .count = 3}, 3);
  const std::vector<TypeParam> ids = {4, 9, 3, 5, 2, 6, 4};
  std::vector<float> out(21, -1);
  std::vector<std::uint8_t> mask(7, 9);
  maskedLookup(table.shard, this->idsOf(ids), out.data(), mask.data());
  EXPECT_EQ(out, (std::vector<float>{40, 41, 42, 0, 0, 0, 30, 31, 32, 50, 51,
                                     52, 0,  0,  0, 0, 0, 0,  40, 41, 42}));
  EXPECT_EQ(mask, (std::vector<std::uint8_t>{0, 1, 0, 0, 1, 1, 0}));
}

TYPED_TEST(Rows, OfEverySizeAreCopiedWhole) {
  for (const std::int64_t width : {1, 2, 3, 4, 5, 7, 8, 16, 31, 32, 64, 100, 128, 129}) {
    const Table<float> table({.begin = 2, .count = 4}, width);
    std::vector<TypeParam> ids(20);
    std::iota(ids.begin(), ids.end(), TypeParam{-4});
    std::vector<float> out(static_cast<std::size_t>(20 * width), -1);
    maskedLookup(table.shard, this->idsOf(ids), out.data(), nullptr);
    for (std::int64_t i = 0; i < 20 * width; ++i) {
      const std::int64_t id = i / width - 4;
      const auto expected = id >= 2 && id < 6 ? static_cast<float>(10 * id + i % width) : 0.0F;
      ASSERT_EQ(out[static_cast<std::size_t>(i)], expected) << "width " << width << " at " << i;
    }
  }
}

TYPED_TEST(Rows, OfBytesNeedNoAlignment) {
  const Table<std::uint8_t> table({.begin = 0, .count = 2}, 3);
  const std::vector<TypeParam> ids = {1, 0, 2};
  std::vector<std::uint8_t> out(9, 7);
  maskedLookup(table.shard, this->idsOf(ids), out.data(), nullptr);
  EXPECT_EQ(out, (std::vector<std::uint8_t>{10, 11, 12, 0, 1, 2, 0, 0, 0}));
}

TYPED_TEST(Rows, OfAnEmptyShardAreAllMasked) {
  const std::vector<TypeParam> ids = {0, 5};
  std::vector<double> out(2, -1);
  std::vector<std::uint8_t> mask(2, 9);
  const TableShard empty{.data = nullptr, .rowBytes = 8, .rows = {.begin = 5, .count = 0}};
  maskedLookup(empty, this->idsOf(ids), out.data(), mask.data());
  EXPECT_EQ(out, (std::vector<double>{0, 0}));
  EXPECT_EQ(mask, (std::vector<std::uint8_t>{1, 1}));
}

TYPED_TEST(Rows, OfNoBytesStillHaveAMask) {
  const std::vector<TypeParam> ids = {0, 5};
  std::vector<std::uint8_t> mask(2, 9);
  const TableShard narrow{.data = nullptr, .rowBytes = 0, .rows = {.begin = 5, .count = 1}};
  maskedLookup(narrow, this->idsOf(ids), nullptr, mask.data());
  EXPECT_EQ(mask, (std::vector<std::uint8_t>{1, 0}));
}

TYPED_TEST(Rows, OfNoIdsWriteNothing) {
  const Table<float> table({.begin = 0, .count = 2}, 2);
  maskedLookup(table.shard, this->idsOf({}), nullptr, nullptr);
  scatterAddRows(this->idsOf({}), {.width = 2}, table.rows, std::nullopt, nullptr);
}

TYPED_TEST(Rows, OfNegativeAndHugeIdsAreMasked) {
  const Table<float> table({.begin = 3, .count = 3}, 1);
  using Limits = std::numeric_limits<TypeParam>;
  const std::vector<TypeParam> ids = {-1, -3, Limits::min(), Limits::max(), 5};
  std::vector<float> out(5, -1);
  maskedLookup(table.shard, this->idsOf(ids), out.data(), nullptr);
  EXPECT_EQ(out, (std::vector<float>{0, 0, 0, 0, 50}));
}

template <class T>
RowGrads gradsOf(const std::vector<T>& grads, FloatType type, std::int64_t width) {
  return {.data = grads.data(), .type = type, .width = width};
}

TYPED_TEST(Rows, GatherTheGradientsOfTheirIds) {
  const std::vector<TypeParam> ids = {4, 9, 3, 4, -1};
  const std::vector<float> grads = {1, 2, 10, 20, 100, 200, 1000, 2000, 5, 5};
  std::vector<float> out(6, 0);
  scatterAddRows(this->idsOf(ids), gradsOf(grads, FloatType::Float32, 2), {.begin = 3, .count = 3},
                 std::nullopt, out.data());
  EXPECT_EQ(out, (std::vector<float>{100, 200, 1001, 2002, 0, 0}));
}

TYPED_TEST(Rows, GatherNothingForThePaddingIndex) {
  const std::vector<TypeParam> ids = {4, 3, 4};
  const std::vector<double> grads = {1, 10, 100};
  std::vector<double> out(3, 0);
  scatterAddRows(this->idsOf(ids), gradsOf(grads, FloatType::Float64, 1), {.begin = 3, .count = 3},
                 4, out.data());
  EXPECT_EQ(out, (std::vector<double>{10, 0, 0}));
}

// Sums 1 and 0.5 in both 16-bit formats.
TYPED_TEST(Rows, GatherSixteenBitGradients) {
  const std::vector<TypeParam> ids = {0, 0, 1};
  const std::vector<std::uint16_t> half = {0x3C00, 0x3800, 0xC000};
  std::vector<std::uint16_t> out(2, 0);
  scatterAddRows(this->idsOf(ids), gradsOf(half, FloatType::Float16, 1), {.begin = 0, .count = 2},
                 std::nullopt, out.data());
  EXPECT_EQ(out, (std::vector<std::uint16_t>{0x3E00, 0xC000}));

  const std::vector<std::uint16_t> brain = {0x3F80, 0x3F00, 0xC000};
  out.assign(2, 0);
  scatterAddRows(this->idsOf(ids), gradsOf(brain, FloatType::BFloat16, 1), {.begin = 0, .count = 2},
                 std::nullopt, out.data());
  EXPECT_EQ(out, (std::vector<std::uint16_t>{0x3FC0, 0xC000}));
}

// More rows than the prefetch distance, with aligned and unaligned outputs.
TYPED_TEST(Rows, InAnyNumberAreLookedUpAnywhere) {
  constexpr std::int64_t kBytes = std::int64_t{64} << 10;
  for (const std::int64_t rowBytes : {8, 16, 64, 512, 400, 1040, 3, 72, 4096}) {
    for (const std::int64_t offset : {0, 1, 8}) {
      const std::int64_t count = kBytes / rowBytes;
      const Table<std::uint8_t> table({.begin = 2, .count = 40}, rowBytes);
      std::vector<TypeParam> ids(static_cast<std::size_t>(count));
      for (std::int64_t i = 0; i < count; ++i) {
        ids[static_cast<std::size_t>(i)] = static_cast<TypeParam>(i * 7 % 45);
      }
      std::vector<std::uint8_t> out(static_cast<std::size_t>(offset + count * rowBytes), 9);
      auto expected = out;
      for (std::int64_t i = 0; i < count; ++i) {
        const std::int64_t id = ids[static_cast<std::size_t>(i)];
        auto* row = expected.data() + offset + i * rowBytes;
        std::fill_n(row, rowBytes, std::uint8_t{0});
        if (id < 2 || id >= 42) continue;
        std::copy_n(table.data.begin() + (id - 2) * rowBytes, rowBytes, row);
      }
      maskedLookup(table.shard, this->idsOf(ids), out.data() + offset, nullptr);
      EXPECT_TRUE(out == expected) << "rows of " << rowBytes << " at " << offset;
    }
  }
}

TYPED_TEST(Rows, HaveOneOwnerAlsoWherePartsAreEmpty) {
  std::vector<TypeParam> ids = {0, 1, 2, 3, 4, 4, 0};
  std::vector<std::int32_t> owners(7, 99);
  std::vector<std::int64_t> counts(6, 99);
  findOwners(this->idsOf(ids), std::vector<std::int64_t>{0, 0, 2, 2, 3, 5, 5}, owners.data(),
             counts.data());
  EXPECT_EQ(owners, (std::vector<std::int32_t>{1, 1, 3, 4, 4, 4, 1}));
  EXPECT_EQ(counts, (std::vector<std::int64_t>{0, 3, 0, 1, 3, 0}));
}

TYPED_TEST(Rows, HaveOneOwnerAmongAnyNumberOfParts) {
  for (int parts = 1; parts <= 33; ++parts) {
    std::vector<std::int64_t> bounds = {0};
    for (int j = 0; j < parts; ++j) bounds.push_back(bounds.back() + j * 5 % 4);
    if (bounds.back() == 0) bounds.back() = 1;
    std::vector<TypeParam> ids(static_cast<std::size_t>(bounds.back()));
    std::iota(ids.begin(), ids.end(), TypeParam{0});
    std::vector<std::int32_t> owners(ids.size(), -1);
    std::vector<std::int64_t> counts(static_cast<std::size_t>(parts), -1);
    findOwners(this->idsOf(ids), bounds, owners.data(), counts.data());
    for (std::size_t i = 0; i < ids.size(); ++i) {
      const auto owner = static_cast<std::size_t>(owners[i]);
      ASSERT_TRUE(bounds[owner] <= ids[i] && ids[i] < bounds[owner + 1]) << parts << " at " << i;
    }
    for (std::size_t j = 0; j < counts.size(); ++j) {
      ASSERT_EQ(counts[j], bounds[j + 1] - bounds[j]) << parts;
    }
  }
}

TYPED_TEST(Rows, OfAllShardsTogetherAreThoseOfTheTable) {
  for (const std::int64_t width : {0, 1, 3, 4, 16, 100, 128}) {
    Table<float> first({.begin = 0, .count = 3}, width), second({.begin = 3, .count = 2}, width);
    if (width > 0) second.data[0] = -0.0F;
    const TableShard elsewhere{.data = nullptr, .rowBytes = first.shard.rowBytes, .rows = {3, 0}};
    const std::vector<TypeParam> ids = {4, 0, 3, 2, 5};
    const std::vector<std::int32_t> owners = {1, 0, 1, 0, 2};
    std::vector<float> out(static_cast<std::size_t>(5 * width), -1);
    ownedLookup(std::vector{first.shard, second.shard, elsewhere}, this->idsOf(ids), owners.data(),
                out.data());
    for (std::int64_t i = 0; i < 5 * width; ++i) {
      const std::int64_t id = ids[static_cast<std::size_t>(i / width)], j = i % width;
      const float expected = id == 5             ? -1.0F
                             : id == 3 && j == 0 ? -0.0F
                                                 : static_cast<float>(10 * id + j);
      const float got = out[static_cast<std::size_t>(i)];
      ASSERT_TRUE(got == expected && std::signbit(got) == std::signbit(expected)) << width;
    }
  }
}

TEST(TakenRows, GoBackToTheirPlaces) {
  for (const std::int64_t width : {0, 1, 3, 8, 17}) {
    const auto size = static_cast<std::size_t>(width);
    std::vector<double> rows(2 * size), out(4 * size, -1);
    std::iota(rows.begin(), rows.end(), 1.0);
    putRows(rows.data(), 8 * width, std::vector<std::int64_t>{2, 0}, out.data());
    for (std::size_t j = 0; j < size; ++j) {
      EXPECT_EQ(out[j], rows[size + j]);
      EXPECT_EQ(out[size + j], -1);
      EXPECT_EQ(out[2 * size + j], rows[j]);
      EXPECT_EQ(out[3 * size + j], -1);
    }
  }
}

TYPED_TEST(Rows, AreCheckedForTheFirstIdOutsideOfTheTable) {
  const std::vector<TypeParam> good = {0, 9, 4};
  EXPECT_EQ(checkIds(this->idsOf(good), 10), std::nullopt);
  EXPECT_EQ(checkIds(this->idsOf(good), 9), 1);
  EXPECT_EQ(checkIds(this->idsOf(good), 0), 0);
  EXPECT_EQ(checkIds(this->idsOf({}), 0), std::nullopt);
  EXPECT_EQ(checkIds(this->idsOf({3, 0, -1, 12}), 10), 2);

  std::vector<TypeParam> many(1000, 1);
  many[999] = 2;
  EXPECT_EQ(checkIds(this->idsOf(many), 2), 999);
  many[256] = -1;
  many[255] = -1;
  EXPECT_EQ(checkIds(this->idsOf(many), 2), 255);
}

}  // namespace
}  // namespace shardlens::kernels
