#include "kernels/folds.h"
#include "tests/kernels/places.h"

namespace shardlens::kernels::cuda {
namespace {

template <class Place>
class PieceKernels : public OnPlace<Place> {};
TYPED_TEST_SUITE(PieceKernels, Places);

using Numbers = std::vector<std::int64_t>;

struct PiecesCase {
  Numbers sizes;
  Numbers to;
  Numbers from;
  std::int64_t itemBytes;
};

std::size_t spanOf(const PiecesCase& each, const Numbers& strides) {
  std::int64_t last = 0;
  for (std::size_t d = 0; d < each.sizes.size(); ++d) {
    if (each.sizes[d] == 0) return 0;
    last += (each.sizes[d] - 1) * strides[d];
  }
  return static_cast<std::size_t>((last + 1) * each.itemBytes);
}

// Returns slices along any dimension, transposes, a broadcast, and pieces with one or no element.
std::vector<PiecesCase> cases() {
  std::vector<PiecesCase> cases;
  for (const std::int64_t itemBytes : {1, 2, 4, 8, 16}) {
    cases.push_back({{5, 7}, {7, 1}, {7, 1}, itemBytes});
    cases.push_back({{64, 32}, {32, 1}, {96, 1}, itemBytes});
    cases.push_back({{6, 10}, {1, 6}, {10, 1}, itemBytes});
    cases.push_back({{3, 4, 5}, {20, 5, 1}, {100, 10, 1}, itemBytes});
    cases.push_back({{3, 4, 5}, {100, 10, 2}, {1, 3, 12}, itemBytes});
    cases.push_back({{2, 3, 2, 3, 2, 3}, {128, 40, 20, 6, 3, 1}, {1, 2, 6, 12, 36, 72}, itemBytes});
    cases.push_back({{4, 9}, {9, 1}, {0, 1}, itemBytes});
    cases.push_back({{1}, {1}, {1}, itemBytes});
    cases.push_back({{0, 3}, {3, 1}, {3, 1}, itemBytes});
    cases.push_back({{}, {}, {}, itemBytes});
  }
  // Contiguous targets, written by 16 bytes that end in the next row, with a rest.
  for (const std::int64_t itemBytes : {1, 2, 4, 8}) {
    cases.push_back({{50, 33}, {33, 1}, {35, 1}, itemBytes});
    cases.push_back({{7, 5, 17}, {85, 17, 1}, {3, 400, 1}, itemBytes});
    cases.push_back({{90, 16 / itemBytes}, {16 / itemBytes, 1}, {37, 1}, itemBytes});
  }
  // Rows of several parts of a warp, in both directions.
  for (const std::int64_t itemBytes : {1, 4, 8, 16}) {
    cases.push_back({{9, 2, 321}, {700, 350, 1}, {650, 325, 1}, itemBytes});
    cases.push_back({{11, 65}, {70, 1}, {65, 1}, itemBytes});
  }
  cases.push_back({{40, 300}, {300, 1}, {512, 1}, 4});
  return cases;
}

TYPED_TEST(PieceKernels, AreCopiedBetweenAnyLayoutsInAnyNumber) {
  Lot lot;
  for (const std::size_t offset : {0, 16, 8, 4, 1}) {
    std::vector<std::unique_ptr<Moved<TypeParam, std::uint8_t>>> froms, tos;
    std::vector<std::vector<std::uint8_t>> expected;
    std::vector<StridedPiece> pieces;
    for (const PiecesCase& each : cases()) {
      const StridedCopy layout(each.sizes, each.itemBytes, each.to, each.from);
      ASSERT_TRUE(layout.isPossible());
      const auto from = lot.bytes(spanOf(each, each.from));
      const auto to = lot.bytes(spanOf(each, each.to));
      expected.push_back(to);
      layout.copy(reinterpret_cast<char*>(expected.back().data()),
                  reinterpret_cast<const char*>(from.data()), 0, layout.bytes());
      froms.push_back(std::make_unique<Moved<TypeParam, std::uint8_t>>(from, offset));
      tos.push_back(std::make_unique<Moved<TypeParam, std::uint8_t>>(to));
      pieces.push_back({layout, tos.back()->data(), froms.back()->data()});
    }
    TypeParam::copyPieces(std::span<const StridedPiece>(pieces));
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      EXPECT_TRUE(tos[i]->back() == expected[i]) << "case " << i << " at " << offset;
    }
  }
  TypeParam::copyPieces(std::span<const StridedPiece>());
}

TYPED_TEST(PieceKernels, RefuseMoreThanTheMostDimensions) {
  const Numbers sizes(8, 2);
  const Numbers to = {1 << 14, 1 << 12, 1 << 10, 1 << 8, 1 << 6, 1 << 4, 1 << 2, 1};
  const StridedPiece piece{StridedCopy(sizes, 4, to, to), nullptr, nullptr};
  ASSERT_FALSE(piece.layout.isPossible());
  EXPECT_THROW(TypeParam::copyPieces(std::span(&piece, 1)), std::runtime_error);
}

// Reduces with the loops of the processor, which the communicators use.
template <class T>
std::vector<T> reduced(const std::vector<std::vector<T>>& terms, ElementType type, ReduceOp op,
                       double factor) {
  const auto loops = *reduceLoops(type, op);
  const auto count = static_cast<std::int64_t>(terms.front().size());
  std::vector<char> sum(static_cast<std::size_t>(count * loops.accumulatorBytes)), next = sum;
  std::vector<T> result(terms.front().size());
  if (loops.start) {
    loops.start(sum.data(), terms.front().data(), count, factor);
  } else if (count > 0) {
    std::memcpy(sum.data(), terms.front().data(), sum.size());
  }
  for (std::size_t t = 1; t < terms.size(); ++t) {
    loops.add(next.data(), sum.data(), terms[t].data(), count, factor);
    std::swap(sum, next);
  }
  if (loops.finish) {
    loops.finish(result.data(), sum.data(), count, static_cast<std::int64_t>(terms.size()));
  } else if (count > 0) {
    std::memcpy(result.data(), sum.data(), sum.size());
  }
  return result;
}

template <class T>
T drawn(Lot& lot) {
  if constexpr (kIsComplex<T>) {
    return {drawn<decltype(T::real)>(lot), drawn<decltype(T::real)>(lot)};
  } else if constexpr (std::is_same_v<T, bool>) {
    return lot.below(2) == 1;
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(static_cast<std::uint64_t>(lot.below(INT64_MAX)) * 5);
  } else {
    return narrowed<T>(static_cast<Calculated<T>>(lot.below(1 << 20)) / 1024 - 300);
  }
}

// Returns true if the bits are equal, or both are NaN: a GPU's NaN has other bits than a
// processor's.
template <class T>
bool areSame(const T& a, const T& b) {
  if constexpr (kIsComplex<T>) {
    return areSame(a.real, b.real) && areSame(a.imaginary, b.imaginary);
  } else {
    const bool areNaN = widened(a) != widened(a) && widened(b) != widened(b);
    return areNaN || std::memcmp(&a, &b, sizeof(T)) == 0;
  }
}

template <class Place, class T>
void expectReduced(Lot& lot, ElementType type, ReduceOp op, std::size_t termCount,
                   std::size_t count, std::size_t offset) {
  std::vector<std::vector<T>> terms(termCount);
  std::vector<std::unique_ptr<Moved<Place, T>>> there;
  std::vector<const void*> pointers;
  for (auto& term : terms) {
    term.reserve(count);
    for (std::size_t i = 0; i < count; ++i) term.push_back(drawn<T>(lot));
    there.push_back(std::make_unique<Moved<Place, T>>(term, offset));
    pointers.push_back(there.back()->data());
  }
  const Moved<Place, T> apart(std::vector<T>(count, T{}), offset);
  void* const outputs[] = {apart.data(), there.back()->data()};
  Place::reduceTerms(
      TermsOnGpu{pointers, std::span(outputs), type, static_cast<std::int64_t>(count)}, op, 0.3);
  const auto expected = reduced(terms, type, op, 0.3);
  for (const auto& got : {apart.back(), there.back()->back()}) {
    EXPECT_TRUE(std::equal(got.begin(), got.end(), expected.begin(), expected.end(), areSame<T>))
        << "type " << static_cast<int>(type) << " operation " << static_cast<int>(op) << " of "
        << termCount << " x " << count << " at " << offset;
  }
}

TYPED_TEST(PieceKernels, AreReducedBitByBitAsOnTheProcessor) {
  Lot lot;
  for (int t = 0; t <= static_cast<int>(ElementType::Bool); ++t) {
    const auto type = static_cast<ElementType>(t);
    for (int o = 0; o <= static_cast<int>(ReduceOp::PremulSum); ++o) {
      const auto op = static_cast<ReduceOp>(o);
      if (!isReducible(type, op)) continue;
      withElements(type, [&]<class T>(Tag<T>) {
        // Skips bool, because a vector<bool> has no array of elements. The next test covers it.
        using Stored = std::conditional_t<std::is_same_v<T, bool>, std::uint8_t, T>;
        if constexpr (std::is_same_v<T, Stored>) {
          expectReduced<TypeParam, T>(lot, type, op, 4, 1000, 0);
          expectReduced<TypeParam, T>(lot, type, op, 5, 33, sizeof(T));
          expectReduced<TypeParam, T>(lot, type, op, 1, 17, 0);
          expectReduced<TypeParam, T>(lot, type, op, 128, 3, 0);
          expectReduced<TypeParam, T>(lot, type, op, 2, 0, 0);
        }
      });
    }
  }
}

TEST(PieceBits, OfNaNMayDiffer) {
  const auto of = [](std::uint32_t bits) { return std::bit_cast<float>(bits); };
  const float processors = of(0xffc00000), gpus = of(0x7fffffff);
  EXPECT_TRUE(areSame(processors, gpus));
  EXPECT_TRUE(areSame(Complex<float>{1, processors}, Complex<float>{1, gpus}));
  EXPECT_FALSE(areSame(Complex<float>{1, processors}, Complex<float>{2, gpus}));
  EXPECT_FALSE(areSame(processors, 1.0F));
  EXPECT_FALSE(areSame(0.0F, -0.0F));
}

TYPED_TEST(PieceKernels, OfTruthsAreReducedToTruths) {
  const std::vector<std::uint8_t> a = {0, 0, 1, 1}, b = {0, 1, 0, 1};
  const Moved<TypeParam, std::uint8_t> first(a), second(b), out(a);
  const void* const terms[] = {first.data(), second.data()};
  void* const outputs[] = {out.data()};
  const auto of = [&](ReduceOp op) {
    TypeParam::reduceTerms(TermsOnGpu{terms, outputs, ElementType::Bool, 4}, op, 1);
    return out.back();
  };
  using Bytes = std::vector<std::uint8_t>;
  EXPECT_EQ(of(ReduceOp::Sum), (Bytes{0, 1, 1, 1}));
  EXPECT_EQ(of(ReduceOp::Product), (Bytes{0, 0, 0, 1}));
  EXPECT_EQ(of(ReduceOp::Min), (Bytes{0, 0, 0, 1}));
  EXPECT_EQ(of(ReduceOp::Max), (Bytes{0, 1, 1, 1}));
  EXPECT_EQ(of(ReduceOp::Bxor), (Bytes{0, 1, 1, 0}));
}

TYPED_TEST(PieceKernels, AreNotReducedWhereThatMeansNothing) {
  const Moved<TypeParam, float> one(std::vector<float>{1});
  const std::vector<const void*> terms(129, one.data());
  void* const output[] = {one.data()};
  const auto reduce = [&](std::size_t count, ReduceOp op) {
    TypeParam::reduceTerms(
        TermsOnGpu{std::span(terms).first(count), output, ElementType::Float32, 1}, op, 1);
  };
  EXPECT_THROW(reduce(0, ReduceOp::Sum), std::runtime_error);
  EXPECT_THROW(reduce(129, ReduceOp::Sum), std::runtime_error);
  EXPECT_THROW(reduce(2, ReduceOp::Band), std::runtime_error);
  reduce(128, ReduceOp::Max);
  EXPECT_EQ(one.back(), (std::vector<float>{1}));
}

TEST(Divisor, IsTheQuotientForEveryNumber) {
  Lot lot;
  std::vector<std::uint64_t> numbers = {0, 1, 2, 3, 5, 7, 10, 255, 256, 257, 641, 65535, 65536};
  for (const int shift : {30, 31, 32, 33, 62}) {
    for (const std::int64_t near : {-2, -1, 0, 1, 2}) {
      numbers.push_back((std::uint64_t{1} << shift) + static_cast<std::uint64_t>(near));
    }
  }
  for (int i = 0; i < 300; ++i) {
    numbers.push_back(static_cast<std::uint64_t>(lot.below(std::int64_t{1} << (1 + i % 62))));
  }
  for (const auto by : numbers) {
    if (by == 0) continue;
    for (auto number : numbers) {
      for (const auto near : {number, by * (number % 1000), by * (number % 1000) + by - 1}) {
        ASSERT_EQ(Divisor(by).quotient(near), near / by) << near << " / " << by;
      }
    }
  }
}

}  // namespace
}  // namespace shardlens::kernels::cuda
