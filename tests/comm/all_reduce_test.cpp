#include "tests/comm/backends.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <numeric>

namespace shardlens {
namespace {

class AllReduce : public testing::TestWithParam<World> {
 protected:
  int ranks() const { return GetParam().ranks; }
};

constexpr int kElements = 6;
constexpr int kFactor = 3;

Reduction with(ReduceOp op) { return {op, op == ReduceOp::PremulSum ? kFactor : 1.0}; }

// Returns an element of a rank's input: small powers of two, so that each result is exact in every
// dtype.
std::int64_t term(ReduceOp op, int rank, int element, int ranks) {
  if (op == ReduceOp::Product) return 1 + (rank + element) % 2;
  const std::int64_t power = std::int64_t{1} << (rank + element) % 5;
  return op == ReduceOp::Avg ? ranks * power : power;
}

std::int64_t reduced(ReduceOp op, const std::vector<std::int64_t>& terms) {
  const auto fold = [&](auto combine) {
    return std::accumulate(terms.begin() + 1, terms.end(), terms.front(), combine);
  };
  switch (op) {
    case ReduceOp::Sum:
      return fold(std::plus<>());
    case ReduceOp::PremulSum:
      return kFactor * fold(std::plus<>());
    case ReduceOp::Avg:
      return fold(std::plus<>()) / static_cast<std::int64_t>(terms.size());
    case ReduceOp::Min:
      return *std::min_element(terms.begin(), terms.end());
    case ReduceOp::Max:
      return *std::max_element(terms.begin(), terms.end());
    case ReduceOp::Product:
      return fold(std::multiplies<>());
    case ReduceOp::Band:
      return fold(std::bit_and<>());
    case ReduceOp::Bor:
      return fold(std::bit_or<>());
    case ReduceOp::Bxor:
      return fold(std::bit_xor<>());
  }
  return 0;
}

const std::vector<ReduceOp> kArithmetic = {ReduceOp::Sum, ReduceOp::Avg,     ReduceOp::Min,
                                           ReduceOp::Max, ReduceOp::Product, ReduceOp::PremulSum};
const std::vector<ReduceOp> kBitwise = {ReduceOp::Band, ReduceOp::Bor, ReduceOp::Bxor};

void expectReduced(const World& world, at::ScalarType dtype, ReduceOp op) {
  const auto terms = [&](int rank) {
    std::vector<std::int64_t> row;
    for (int i = 0; i < kElements; ++i) row.push_back(term(op, rank, i, world.ranks));
    return at::tensor(row).to(dtype).view({3, 2});
  };
  std::vector<std::int64_t> expectedValues;
  for (int i = 0; i < kElements; ++i) {
    std::vector<std::int64_t> column;
    for (int rank = 0; rank < world.ranks; ++rank) column.push_back(term(op, rank, i, world.ranks));
    expectedValues.push_back(reduced(op, column));
  }
  const auto want = at::tensor(expectedValues).to(dtype).view({3, 2});
  const std::string what = std::string(reduceOpName(op)) + " of " + c10::toString(dtype);
  world.backend.run(world.ranks, [&](Communicator& comm) {
    const Buffers inputs = forHosted(comm, terms);
    const Buffers into = forHosted(comm, [&](int) { return at::full_like(want, 1); });
    comm.allReduce(everyone(world.ranks), inputs, into, with(op));
    const Buffers before = forHosted(comm, terms);
    for (std::size_t i = 0; i < into.size(); ++i) {
      expectSame(into[i], want, what);
      expectSame(inputs[i], before[i], what + ", an input");
    }
    if (op != ReduceOp::Sum && op != ReduceOp::Avg) return;
    comm.allReduce(everyone(world.ranks), inputs, inputs, with(op));
    for (const auto& buffer : inputs) expectSame(buffer, want, what + ", in place");
  });
}

TEST_P(AllReduce, IsExactForEveryOpAndDType) {
  for (const auto dtype : {at::kFloat, at::kDouble, at::kHalf, at::kBFloat16, at::kLong, at::kInt,
                           at::kShort, at::kChar, at::kByte}) {
    for (const auto op : kArithmetic) expectReduced(GetParam(), dtype, op);
  }
  for (const auto dtype : {at::kComplexFloat, at::kComplexDouble}) {
    for (const auto op : {ReduceOp::Sum, ReduceOp::Avg, ReduceOp::Product, ReduceOp::PremulSum}) {
      expectReduced(GetParam(), dtype, op);
    }
  }
  for (const auto dtype : {at::kLong, at::kInt, at::kShort, at::kChar, at::kByte}) {
    for (const auto op : kBitwise) expectReduced(GetParam(), dtype, op);
  }
}

TEST_P(AllReduce, OfTruthsIsAllOrAny) {
  GetParam().backend.run(ranks(), [&](Communicator& comm) {
    // The elements are true on no rank, on the last rank, and on all ranks.
    const auto truths = [&](int rank) {
      return at::tensor({0, rank == ranks() - 1 ? 1 : 0, 1}).to(at::kBool);
    };
    const int all = ranks() == 1 ? 1 : 0;
    for (const auto op : {ReduceOp::Sum, ReduceOp::Max, ReduceOp::Bor}) {
      const Buffers buffers = forHosted(comm, truths);
      comm.allReduce(everyone(ranks()), buffers, buffers, {op});
      for (const auto& b : buffers) expectSame(b, at::tensor({0, 1, 1}).to(at::kBool), "any");
    }
    for (const auto op : {ReduceOp::Product, ReduceOp::Min, ReduceOp::Band}) {
      const Buffers buffers = forHosted(comm, truths);
      comm.allReduce(everyone(ranks()), buffers, buffers, {op});
      for (const auto& b : buffers) expectSame(b, at::tensor({0, all, 1}).to(at::kBool), "all");
    }
  });
}

TEST_P(AllReduce, AveragesOfIntegersTruncate) {
  GetParam().backend.run(ranks(), [&](Communicator& comm) {
    const Buffers buffers = forHosted(comm, [&](int rank) {
      const std::int64_t rest = rank == 0 ? ranks() - 1 : 0;  // the average is just below 4
      return at::tensor({3 + rest, -3 - rest});
    });
    comm.allReduce(everyone(ranks()), buffers, buffers, {ReduceOp::Avg});
    for (const auto& buffer : buffers) {
      expectSame(buffer, at::tensor({std::int64_t{3}, std::int64_t{-3}}), "average");
    }
  });
}

TEST_P(AllReduce, WorksInPlaceOnViews) {
  GetParam().backend.run(ranks(), [&](Communicator& comm) {
    Buffers whole = forHosted(comm, [](int rank) {
      return at::full({4, 5}, 1 << rank, at::kFloat);
    });
    Buffers views;
    for (const auto& tensor : whole) views.push_back(tensor.narrow(0, 1, 2).narrow(1, 2, 2));
    comm.allReduce(everyone(ranks()), views, views, {});
    for (std::size_t i = 0; i < whole.size(); ++i) {
      auto want = at::full({4, 5}, 1 << comm.hosted()[i], at::kFloat);
      want.narrow(0, 1, 2).narrow(1, 2, 2).fill_((1 << ranks()) - 1);
      expectSame(whole[i], want, "what lies around a view is left as it is");
    }
  });
}

TEST_P(AllReduce, TakesEmptyAndScalarBuffers) {
  GetParam().backend.run(ranks(), [&](Communicator& comm) {
    const Buffers empty = forHosted(comm, [](int) { return at::empty({0, 3}); });
    comm.allReduce(everyone(ranks()), empty, empty, {});
    for (const auto& buffer : empty) expectSame(buffer, at::empty({0, 3}), "empty");
    const Buffers scalars = forHosted(comm, [](int rank) { return at::scalar_tensor(1 << rank); });
    comm.allReduce(everyone(ranks()), scalars, scalars, {});
    for (const auto& buffer : scalars) {
      expectSame(buffer, at::scalar_tensor((1 << ranks()) - 1), "scalar");
    }
  });
}

// The buffers are large enough to be reduced in pieces of unequal sizes. Another order of addition
// or a wider accumulator would round these values differently.
TEST_P(AllReduce, OfLargeBuffersRoundsInTheOrderOfTheGroup) {
  constexpr std::int64_t kMany = 30011;
  const std::pair<at::ScalarType, double> kTypes[] = {
      {at::kFloat, 0x1p-23}, {at::kBFloat16, 0x1p-7}, {at::kHalf, 0x1p-10}};
  for (const auto& [dtype, step] : kTypes) {
    const auto term = [&, dtype = dtype](int rank) {
      return (at::arange(kMany, at::kFloat) * (rank + 1) + 0.37).div(7).to(dtype);
    };
    auto want = term(0);
    for (int rank = 1; rank < ranks(); ++rank) want = want + term(rank);
    const auto expectRounded = [&, step = step](const at::Tensor& got, const std::string& what) {
      if (GetParam().backend.rounding == Rounding::InOrder) return expectSame(got, want, what);
      const double each = step * ranks();  // one rounding step per addition
      EXPECT_TRUE(at::allclose(got.to(at::kDouble), want.to(at::kDouble), each)) << what;
    };
    GetParam().backend.run(ranks(), [&](Communicator& comm) {
      const Buffers inputs = forHosted(comm, term);
      const Buffers into =
          forHosted(comm, [&](int) { return at::zeros({2 * kMany}, want.options()); });
      Buffers views;
      for (const auto& buffer : into) views.push_back(buffer.slice(0, 0, 2 * kMany, 2));
      comm.allReduce(everyone(ranks()), inputs, views, {});
      for (const auto& buffer : views) expectRounded(buffer, c10::toString(want.scalar_type()));
      comm.allReduce(everyone(ranks()), inputs, inputs, {});
      for (const auto& buffer : inputs) expectRounded(buffer, "in place");
    });
  }
}

INSTANTIATE_TEST_SUITE_P(Backends, AllReduce, testing::ValuesIn(worlds({1, 2, 3, 4, 5})),
                         worldName);

}  // namespace
}  // namespace shardlens
