#include "tests/tensor/ranks.h"
#include "tests/tensor/redistribute_cases.h"

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <numeric>

namespace shardlens {
namespace {

using Indices = std::vector<std::int64_t>;

Indices chunk(const Indices& all, int parts, int part) {
  const auto n = static_cast<std::int64_t>(all.size());
  const std::int64_t size = (n + parts - 1) / parts;
  const auto begin = std::min(n, size * part);
  return {all.begin() + begin, all.begin() + std::min(n, begin + size)};
}

// Returns the indices of a tensor dimension that a rank owns, by the definition of the placements:
// splits the index list by one mesh dimension after the other.
Indices held(const DeviceMesh& mesh, const Placements& placements, int rank, int tensorDim,
             std::int64_t n) {
  Indices indices(static_cast<std::size_t>(n));
  std::iota(indices.begin(), indices.end(), 0);
  for (int dim = 0; dim < mesh.ndim(); ++dim) {
    const auto& placement = placements[static_cast<std::size_t>(dim)];
    if (shardedDim(placement) != tensorDim) continue;
    const auto* strided = std::get_if<StridedShard>(&placement);
    const int pieces = strided != nullptr ? strided->splitFactor : 1;
    Indices kept;
    for (int piece = 0; piece < pieces; ++piece) {
      const auto mine =
          chunk(chunk(indices, pieces, piece), mesh.size(dim), mesh.coordinate(rank, dim));
      kept.insert(kept.end(), mine.begin(), mine.end());
    }
    indices = kept;
  }
  return indices;
}

at::Tensor partOf(const at::Tensor& whole, const DeviceMesh& mesh, const Placements& placements,
                  int rank) {
  at::Tensor part = whole;
  for (int dim = 0; dim < whole.dim(); ++dim) {
    part = part.index_select(dim, at::tensor(held(mesh, placements, rank, dim, whole.size(dim))));
  }
  return part;
}

// Returns the number of a rank's partial value among those of the mesh dimensions with a partial.
int termNumber(const DeviceMesh& mesh, const Placements& placements, int rank) {
  int number = 0;
  for (int dim = 0; dim < mesh.ndim(); ++dim) {
    if (!isPartial(placements[static_cast<std::size_t>(dim)])) continue;
    number = number * mesh.size(dim) + mesh.coordinate(rank, dim);
  }
  return number;
}

// Returns the value of these partial values, which have one partial placement on `meshDims` mesh
// dimensions.
at::Tensor valueOf(const std::vector<at::Tensor>& terms, const Placement& partial, int meshDims) {
  const auto all = at::stack(terms);
  if (const auto* norm = std::get_if<NormPartial>(&partial)) {
    return all.pow(norm->norm).sum(0).pow(1 / norm->norm);
  }
  switch (partialOp(partial).value()) {
    case ReduceOp::Sum:
      return all.sum(0);
    case ReduceOp::Avg:
      return all.mean(0);
    case ReduceOp::Min:
      return all.amin(0);
    case ReduceOp::Max:
      return all.amax(0);
    case ReduceOp::Product:
      return all.prod(0);
    case ReduceOp::PremulSum:
      return all.sum(0) * std::pow(std::get<Partial>(partial).factor, meshDims);
    default: {
      auto value = terms.front().clone();
      for (std::size_t i = 1; i < terms.size(); ++i) value.bitwise_xor_(terms[i]);
      return value;
    }
  }
}

// Redistributes a source made from locals, and checks what every rank has in the end.
void runCase(const RedistributeCase& each) {
  const auto runtime = ranks(each.mesh, RuntimeOptions{.planner = each.planner});
  const DeviceMesh& mesh = *runtime->mesh();
  int count = 1, meshDims = 0;
  Placement partial = Replicate{};
  for (std::size_t dim = 0; dim < each.from.size(); ++dim) {
    if (!isPartial(each.from[dim])) continue;
    partial = each.from[dim];
    count *= each.mesh[dim];
    ++meshDims;
  }
  std::vector<at::Tensor> terms;
  for (int i = 0; i < count; ++i) {
    terms.push_back(numbered(each.shape, 13 + i).add(1).to(each.dtype));
  }
  const auto whole = meshDims > 0 ? valueOf(terms, partial, meshDims) : terms.front();
  Buffers locals, before;
  for (int rank = 0; rank < mesh.size(); ++rank) {
    const auto& term = terms[static_cast<std::size_t>(termNumber(mesh, each.from, rank))];
    locals.push_back(partOf(term, mesh, each.from, rank).contiguous());
    before.push_back(locals.back().clone());
  }
  const auto source = fromLocals(runtime, locals, each.from, each.shape);
  const auto moved = redistribute(source, each.to);
  ASSERT_EQ(moved.scalar_type(), each.dtype);
  ASSERT_EQ(specOf(moved).placements, each.to);
  const bool reduced = std::none_of(each.to.begin(), each.to.end(), isPartial);
  const auto& result =
      reduced ? moved : redistribute(moved, Placements(each.to.size(), Replicate{}));
  for (int rank = 0; rank < mesh.size(); ++rank) {
    const auto at = static_cast<std::size_t>(rank);
    ASSERT_TRUE(at::equal(locals[at], before[at])) << "the source of rank " << rank;
    const auto want = partOf(whole, mesh, specOf(result).placements, rank);
    const auto& got = dtensorImpl(result).locals()[at];
    ASSERT_EQ(got.sizes(), want.sizes()) << "rank " << rank;
    ASSERT_TRUE(at::allclose(got, want, 1e-4)) << "rank " << rank << ": got\n"
                                               << got << "\nexpected\n"
                                               << want;
  }
}

void tryCase(const RedistributeCase& each) {
  SCOPED_TRACE(toText(each));
  try {
    runCase(each);
  } catch (const std::exception& error) {
    FAIL() << error.what();
  }
}

constexpr int kCasesEach = 5500;

// Four parameters, so that the tests can run side by side. SHARDLENS_SEED selects other cases.
class RandomRedistributions : public testing::TestWithParam<unsigned> {};

TEST_P(RandomRedistributions, AreThoseOfThePlainTensor) {
  const char* seed = std::getenv("SHARDLENS_SEED");
  CaseGenerator generator(GetParam() + (seed != nullptr ? 100 * std::stoul(seed) : 0));
  for (int i = 0; i < kCasesEach && !HasFailure(); ++i) tryCase(generator.next());
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomRedistributions, testing::Values(1U, 2U, 3U, 4U));

// All cases that have failed before.
TEST(FoundRedistributions, StayRight) {
  std::ifstream file(FOUND_CASES);
  ASSERT_TRUE(file) << FOUND_CASES;
  std::string line;
  int cases = 0;
  while (std::getline(file, line)) {
    if (line.empty() || line.front() == '#') continue;
    tryCase(parseCase(line));
    ++cases;
  }
  EXPECT_GT(cases, 0);
}

}  // namespace
}  // namespace shardlens
