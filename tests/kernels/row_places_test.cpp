#include "kernels/arithmetic.h"
#include "tests/kernels/places.h"

namespace shardlens::kernels::cuda {
namespace {

template <class Place>
class RowKernels : public OnPlace<Place> {};
TYPED_TEST_SUITE(RowKernels, Places);

template <class Place, class Id>
void expectLookup(Lot& lot, std::int64_t rowBytes, std::size_t count, std::size_t offset,
                  RowRange rows) {
  const auto table = lot.bytes(static_cast<std::size_t>(rows.count * rowBytes));
  const auto ids = lot.ids<Id>(count, -3, 60);
  std::vector<std::uint8_t> out(count * static_cast<std::size_t>(rowBytes), 0x55), expected = out;
  std::vector<std::uint8_t> mask(count, 9), expectedMask = mask;
  kernels::maskedLookup({table.data(), rowBytes, rows}, idsAt(ids.data(), count), expected.data(),
                        expectedMask.data());
  const Moved<Place, std::uint8_t> tableThere(table), outThere(out, offset), maskThere(mask);
  const Moved<Place, Id> idsThere(ids);
  Place::maskedLookup(TableShard{tableThere.data(), rowBytes, rows}, idsAt(idsThere.data(), count),
                      outThere.data(), maskThere.data());
  EXPECT_TRUE(outThere.back() == expected) << rowBytes << " x " << count << " at " << offset;
  EXPECT_EQ(maskThere.back(), expectedMask);
}

TYPED_TEST(RowKernels, LookUpRowsOfAnySizeAnywhere) {
  Lot lot;
  for (const std::int64_t rowBytes : {0, 1, 2, 3, 4, 6, 8, 12, 16, 64, 256, 400, 512, 1040, 4800}) {
    for (const std::size_t count : {0, 1, 37, 300}) {
      const std::size_t offset = count == 37 ? static_cast<std::size_t>(lot.below(17)) : 0;
      expectLookup<TypeParam, std::int64_t>(lot, rowBytes, count, offset, {5, 40});
      expectLookup<TypeParam, std::int32_t>(lot, rowBytes, count, offset, {-3, 63});
      expectLookup<TypeParam, std::int32_t>(lot, rowBytes, count, offset, {70, 5});
      expectLookup<TypeParam, std::int64_t>(lot, rowBytes, count, offset, {5, 0});
    }
  }
}

// Enough ids for warps that list the rows that the shard has, and rows of more words than a warp
// has lanes, of so few that teams copy two at a time, and of words of less than 16 bytes.
TYPED_TEST(RowKernels, LookUpSoManyRowsThatWarpsListThem) {
  Lot lot;
  const std::size_t count = WarpLookup<Word16, std::int64_t>::kFewestIds + 37;
  for (const std::int64_t rowBytes : {16, 128, 208, 512, 528, 60}) {
    expectLookup<TypeParam, std::int64_t>(lot, rowBytes, count, 0, {5, 40});
    expectLookup<TypeParam, std::int32_t>(lot, rowBytes, count, 0, {-3, 63});
  }
  expectLookup<TypeParam, std::int32_t>(lot, 128, count, 4, {10, 1});
  expectLookup<TypeParam, std::int32_t>(lot, 256, count, 0, {70, 5});
}

TYPED_TEST(RowKernels, LookUpMoreRowsThanAGridHasTeams) {
  Lot lot;
  expectLookup<TypeParam, std::int32_t>(
      lot, 31, std::is_same_v<TypeParam, OnProcessor> ? 9000 : 2200000, 0, {0, 50});
}

template <class T>
constexpr FloatType kTypeOf = std::is_same_v<T, Float16>    ? FloatType::Float16
                              : std::is_same_v<T, BFloat16> ? FloatType::BFloat16
                              : std::is_same_v<T, float>    ? FloatType::Float32
                                                            : FloatType::Float64;

template <class T>
bool areSame(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

// Compares the gradient with that of the processor, bit by bit. The sums depend on the order of the
// additions.
template <class Place, class T, class Id>
void expectGradientsOf(Lot& lot, const std::vector<Id>& list, std::int64_t width,
                       std::size_t offset, std::optional<std::int64_t> padding) {
  const RowRange rows{.begin = 4, .count = 50};
  const std::size_t count = list.size();
  std::vector<T> grads(count * static_cast<std::size_t>(width));
  for (auto& grad : grads) {
    grad = narrowed<T>(static_cast<Calculated<T>>(lot.below(1 << 20)) / 1024 - 300);
  }
  const auto elements = static_cast<std::size_t>(rows.count * width);
  std::vector<T> dense(elements, narrowed<T>(1)), expected = dense;
  const RowGrads here{grads.data(), kTypeOf<T>, width};
  kernels::scatterAddRows(idsAt(list.data(), count), here, rows, padding, expected.data());
  const Moved<Place, Id> listThere(list);
  const Moved<Place, T> gradsThere(grads, offset), denseThere(dense);
  const RowGrads there{gradsThere.data(), kTypeOf<T>, width};
  Place::scatterAddRows(idsAt(listThere.data(), count), there, rows, padding, denseThere.data());
  EXPECT_TRUE(areSame(denseThere.back(), expected)) << width << " x " << count;
  if constexpr (std::is_same_v<Place, OnProcessor>) {
    if (count == 0 || width == 0) return;
    const Moved<Place, T> linkedThere(dense, offset), sortedThere(dense);
    Place::scatterAddLinked(idsAt(listThere.data(), count), there, rows, padding,
                            linkedThere.data());
    EXPECT_TRUE(areSame(linkedThere.back(), expected)) << width << " x " << count << ", linked";
    Place::scatterAddSorted(idsAt(listThere.data(), count), there, rows, padding,
                            sortedThere.data());
    EXPECT_TRUE(areSame(sortedThere.back(), expected)) << width << " x " << count << ", sorted";
  }
}

template <class Place, class T, class Id>
void expectGradients(Lot& lot, std::int64_t width, std::size_t count, std::size_t offset,
                     std::optional<std::int64_t> padding, std::int64_t ids) {
  expectGradientsOf<Place, T>(lot, lot.ids<Id>(count, 0, ids), width, offset, padding);
}

TYPED_TEST(RowKernels, AddGradientsUpInTheOrderOfTheIds) {
  Lot lot;
  for (const std::int64_t width : {0, 1, 3, 4, 16, 64, 100, 128, 1100}) {
    for (const std::size_t count : {0, 1, 9, 150}) {
      expectGradients<TypeParam, float, std::int64_t>(lot, width, count, 0, std::nullopt, 60);
      expectGradients<TypeParam, double, std::int32_t>(lot, width, count, 8, 7, 60);
      expectGradients<TypeParam, Float16, std::int64_t>(lot, width, count, 2, 7, 60);
      expectGradients<TypeParam, BFloat16, std::int32_t>(lot, width, count, 0, std::nullopt, 60);
    }
  }
}

TYPED_TEST(RowKernels, AddGradientsUpWhereAllIdsNameOneRowOrNone) {
  Lot lot;
  for (const std::int64_t ids : {1, 5}) {
    for (const std::size_t count : {7, 8, 9, 16, 1000}) {
      expectGradients<TypeParam, float, std::int64_t>(lot, 8, count, 0, std::nullopt, ids);
      expectGradients<TypeParam, BFloat16, std::int64_t>(lot, 3, count, 0, 4, ids);
    }
  }
}

// Runs of every length at which the kernels differ: alone or in a warp's 32 ids, short or long, and
// less, as much and more than the stages that are copied ahead.
TYPED_TEST(RowKernels, AddGradientsUpInRunsOfAnyLength) {
  Lot lot;
  std::vector<std::int64_t> list;
  std::int64_t row = 3;
  for (const int length : {1,   8,   9,   1,   2,   31, 32, 33, 34, 63,   64, 65, 7,
                           223, 224, 225, 256, 257, 1,  1,  1,  12, 1100, 8,  10}) {
    list.insert(list.end(), static_cast<std::size_t>(length), ++row);
  }
  for (std::size_t i = list.size(); i > 1; --i) {
    std::swap(list[i - 1], list[static_cast<std::size_t>(lot.below(static_cast<std::int64_t>(i)))]);
  }
  for (const std::int64_t width : {1, 3, 8, 40, 128}) {
    expectGradientsOf<TypeParam, float>(lot, list, width, 0, std::nullopt);
    expectGradientsOf<TypeParam, double>(lot, list, width, 0, 4);
    expectGradientsOf<TypeParam, Float16>(lot, list, width, 0, std::nullopt);
    expectGradientsOf<TypeParam, BFloat16>(lot, list, width, 2, 14);
  }
  expectGradientsOf<TypeParam, float>(lot, list, 1060, 0, std::nullopt);
}

// Of ids as frequent as words, the most frequent is named by a third.
TYPED_TEST(RowKernels, AddGradientsUpOfFrequentIds) {
  Lot lot;
  std::vector<std::int32_t> list;
  for (int i = 0; i < 4000; ++i) list.push_back(4 + static_cast<std::int32_t>(50 >> lot.below(6)));
  expectGradientsOf<TypeParam, float>(lot, list, 64, 0, std::nullopt);
  expectGradientsOf<TypeParam, BFloat16>(lot, list, 64, 0, std::nullopt);
}

TYPED_TEST(RowKernels, FindTheFirstIdOutsideOfTheTable) {
  const auto first = [](const auto& ids) {
    const Moved<TypeParam, typename std::decay_t<decltype(ids)>::value_type> there(ids);
    return TypeParam::firstBadId(idsAt(there.data(), ids.size()), 10);
  };
  std::vector<std::int64_t> ids(100000, 9);
  EXPECT_EQ(first(std::vector<std::int32_t>()), std::nullopt);
  EXPECT_EQ(first(ids), std::nullopt);
  ids[99999] = 10;
  EXPECT_EQ(first(ids), 99999);
  ids[70000] = -1;
  ids[70001] = -1;
  EXPECT_EQ(first(ids), 70000);
  EXPECT_EQ(first(ids), 70000) << "again";
  EXPECT_EQ(first(std::vector<std::int32_t>(3, 0)), std::nullopt);
  EXPECT_EQ(first(std::vector<std::int32_t>(100000, 10)), 0);
}

// Of a table with so many rows that ids are linked, on a GPU too.
TYPED_TEST(RowKernels, AddGradientsUpInALargeTable) {
  Lot lot;
  std::vector<std::int64_t> list = lot.ids<std::int64_t>(1500, 0, 1000);
  list.insert(list.end(), 40, 7);
  list.insert(list.end(), 300, 900);
  std::vector<float> grads(list.size() * 4), table(1000 * 4, 1), expected = table;
  for (auto& grad : grads) grad = static_cast<float>(lot.below(1 << 20)) / 1024 - 300;
  const RowRange rows{.begin = 0, .count = 1000};
  ASSERT_TRUE(areLinked(static_cast<std::int64_t>(list.size()), rows.count));
  kernels::scatterAddRows(idsAt(list.data(), list.size()), {grads.data(), FloatType::Float32, 4},
                          rows, std::nullopt, expected.data());
  const Moved<TypeParam, std::int64_t> listThere(list);
  const Moved<TypeParam, float> gradsThere(grads), tableThere(table);
  TypeParam::scatterAddRows(idsAt(listThere.data(), list.size()),
                            RowGrads{gradsThere.data(), FloatType::Float32, 4}, rows,
                            std::optional<std::int64_t>(), tableThere.data());
  EXPECT_TRUE(areSame(tableThere.back(), expected));
}

TEST(LinkedIds, AreFewForTheirTable) {
  EXPECT_TRUE(areLinked(65536, 1 << 20));
  EXPECT_TRUE(areLinked(400, 100));
  EXPECT_FALSE(areLinked(401, 100)) << "many per row";
  EXPECT_FALSE(areLinked(kMostLinkedIds + 1, 1 << 20)) << "many";
  EXPECT_FALSE(areLinked(100, std::int64_t{1} << 24)) << "a large table";
}

TYPED_TEST(RowKernels, RefuseMoreIdsThanCanBeSorted) {
  const Ids many{nullptr, IdType::Int32, std::int64_t{1} << 31};
  EXPECT_THROW(TypeParam::scatterAddRows(many, RowGrads{nullptr, FloatType::Float32, 1},
                                         RowRange{0, 1}, std::nullopt, nullptr),
               std::runtime_error);
}

}  // namespace
}  // namespace shardlens::kernels::cuda
