// Finds what the rules miss: placements that a rule redistributes although the plain operator, run
// on each rank's part, gives parts of the result. missing.txt lists them.

#include "tests/tensor/ranks.h"
#include "tests/tensor/rules/samples.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <fstream>
#include <random>
#include <set>
#include <sstream>

namespace shardlens {
namespace {

using Tensors = Sample::Tensors;
using Lines = std::set<std::string>;

// Returns partial values of `whole` that are neither equal nor zero, so that results are not
// accidental.
Buffers termsOf(const at::Tensor& whole, ReduceOp op, int ranks, std::size_t number) {
  Buffers terms;
  at::manual_seed(number);
  const auto noise = at::randn(whole.sizes(), whole.options()).mul(100);
  const auto owner = at::randint(ranks, whole.sizes());
  for (int rank = 0; rank < ranks; ++rank) {
    const int weight = rank == 0 ? 1 - ranks : 1;  // adds up to 0
    const auto others = owner.ne(rank);
    const auto away = noise.abs() + 1;
    switch (op) {
      case ReduceOp::Sum:
        terms.push_back((rank == 0 ? whole : at::zeros_like(whole)) + weight * noise);
        break;
      case ReduceOp::Avg:
        terms.push_back(whole + weight * noise);
        break;
      case ReduceOp::Max:
        terms.push_back(at::where(others, whole - away, whole));
        break;
      default:
        terms.push_back(at::where(others, whole + away, whole));
    }
  }
  return terms;
}

// `number` is the index of the tensor in the call. It seeds the partial values.
Buffers partsOf(const at::Tensor& whole, const Placement& placement, int ranks,
                std::size_t number) {
  if (const auto op = partialOp(placement)) return termsOf(whole, *op, ranks, number);
  const auto lying = distribute(shardlens::ranks({ranks}), whole.clone(), {placement});
  return dtensorImpl(lying).locals();
}

std::vector<Placement> placementsFor(const at::Tensor& tensor, bool terms) {
  std::vector<Placement> all{Replicate{}};
  for (int dim = 0; dim < tensor.dim(); ++dim) all.push_back(Shard{dim});
  if (!terms || !tensor.is_floating_point()) return all;
  for (const auto op : {ReduceOp::Sum, ReduceOp::Avg, ReduceOp::Max, ReduceOp::Min}) {
    all.push_back(Partial{op});
  }
  return all;
}

at::Tensor assembled(const Buffers& parts, const Placement& placement) {
  if (isReplicate(placement)) return parts.front();
  if (const auto dim = shardedDim(placement)) return at::cat(parts, *dim);
  at::Tensor whole = parts.front();
  const auto op = *partialOp(placement);
  for (std::size_t rank = 1; rank < parts.size(); ++rank) {
    whole = op == ReduceOp::Max   ? at::maximum(whole, parts[rank])
            : op == ReduceOp::Min ? at::minimum(whole, parts[rank])
                                  : whole + parts[rank];
  }
  return op == ReduceOp::Avg ? whole / static_cast<double>(parts.size()) : whole;
}

bool isNear(const at::Tensor& got, const at::Tensor& expected) {
  if (got.sizes() != expected.sizes() || got.dtype() != expected.dtype()) return false;
  if (!expected.is_floating_point()) return at::equal(got, expected);
  return at::allclose(got, expected, 1e-4, 1e-3, /*equal_nan=*/true);
}

bool makes(const Buffers& parts, const Placement& placement, const at::Tensor& expected) {
  if (isReplicate(placement)) {
    return std::all_of(parts.begin(), parts.end(),
                       [&](const at::Tensor& part) { return isNear(part, expected); });
  }
  try {
    return isNear(assembled(parts, placement), expected);
  } catch (const std::exception&) {  // parts with these shapes cannot be concatenated
    return false;
  }
}

// Returns true if ranks that run the plain operator on their parts get parts of its result. Plain
// operators may fail on empty parts, so an empty part passes with three ranks and fails with two.
bool needsNoRedistribution(const Sample& sample, const Placements& layout, int ranks,
                           const Tensors& expected) {
  std::vector<Buffers> parts;
  for (std::size_t i = 0; i < layout.size(); ++i) {
    parts.push_back(partsOf(sample.tensors[i], layout[i], ranks, i));
  }
  for (const auto& part : parts) {
    for (const auto& own : part) {
      if (own.numel() == 0) return ranks > 2;
    }
  }
  std::vector<Buffers> results(expected.size());
  // The possible placements of each result. A result written into an input has that one's
  // placement.
  std::vector<std::vector<Placement>> lying;
  for (const auto& result : expected) lying.push_back(placementsFor(result, /*terms=*/true));
  for (int rank = 0; rank < ranks; ++rank) {
    Tensors own;
    for (const auto& part : parts) own.push_back(part[static_cast<std::size_t>(rank)].clone());
    try {
      const auto got = sample.call(own);
      if (got.size() != expected.size()) return false;
      for (std::size_t i = 0; i < got.size(); ++i) {
        results[i].push_back(got[i]);
        for (std::size_t k = 0; k < own.size(); ++k) {
          if (got[i].is_same(own[k])) lying[i] = {layout[k]};
        }
      }
    } catch (const std::exception&) {
      return false;
    }
  }
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const bool fits = std::any_of(
        lying[i].begin(), lying[i].end(),
        [&](const Placement& placement) { return makes(results[i], placement, expected[i]); });
    if (!fits) return false;
  }
  return true;
}

bool isRedistributed(const Sample& sample, const Placements& layout) {
  const auto runtime =
      makeSimulatedRuntime(*DeviceMesh::make({2}), {.redistributions = Redistributions::Explicit});
  Tensors sharded;
  for (std::size_t i = 0; i < layout.size(); ++i) {
    sharded.push_back(distribute(runtime, sample.tensors[i].clone(), {layout[i]}));
  }
  try {
    sample.call(sharded);
    return false;
  } catch (const std::exception&) {
    return true;
  }
}

// Returns all layouts of the tensors, or kMost pseudo-random ones if there are more.
std::vector<Placements> layoutsOf(const Sample& sample) {
  constexpr std::size_t kMost = 300;
  std::vector<std::vector<Placement>> choices;
  std::size_t count = 1;
  for (const auto& tensor : sample.tensors) {
    choices.push_back(placementsFor(tensor, sample.terms == Sample::Terms::Tried));
    count *= choices.back().size();
  }
  std::mt19937_64 random(11);
  std::vector<Placements> layouts;
  for (std::size_t n = 0; n < std::min(count, kMost); ++n) {
    std::size_t number = count <= kMost ? n : random() % count;
    auto& layout = layouts.emplace_back();
    for (const auto& each : choices) {
      layout.push_back(each[number % each.size()]);
      number /= each.size();
    }
  }
  return layouts;
}

// Returns the samples whose plain operators check their arguments. The kernels of attention, norms
// and bags do not check shapes.
std::vector<Sample> samples() {
  std::vector<Sample> all;
  for (const auto family : {factorySamples, gatherSamples, matmulSamples, pointwiseSamples,
                            reductionSamples, viewSamples}) {
    for (auto& sample : family()) all.push_back(std::move(sample));
  }
  return all;
}

// Returns the same call with other numbers, some of them zero, to rule out coincidences.
Sample varied(Sample sample) {
  for (auto& tensor : sample.tensors) {
    if (!tensor.is_floating_point()) continue;
    const auto third = at::arange(tensor.numel()).remainder(3).eq(0).reshape(tensor.sizes());
    tensor = tensor.flatten().roll(1).reshape(tensor.sizes()).neg().add(1).masked_fill(third, 0);
  }
  return sample;
}

void addMissing(const Sample& sample, Lines& lines) {
  const Sample other = varied(sample);
  std::string missing;
  for (const auto& layout : layoutsOf(sample)) {
    // Replicated tensors need no redistribution.
    if (std::all_of(layout.begin(), layout.end(), isReplicate)) continue;
    const auto possible = [&](const Sample& numbers, int ranks) {
      return needsNoRedistribution(numbers, layout, ranks, plainResults(numbers));
    };
    if (isRedistributed(sample, layout) && possible(sample, 2) && possible(sample, 3) &&
        possible(other, 2) && possible(other, 3)) {
      missing += "  " + toText(layout);
    }
  }
  if (!missing.empty()) lines.insert(sample.name + ":" + missing);
}

Lines linesOf(const std::string& path) {
  Lines lines;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (!line.empty() && line.front() != '#') lines.insert(line);
  }
  return lines;
}

std::string without(const Lines& lines, const Lines& others) {
  std::ostringstream text;
  for (const auto& line : lines) {
    if (others.count(line) == 0) text << line << "\n";
  }
  return text.str();
}

TEST(RulesMiss, TheListedOperatorsOnly) {
  at::set_num_threads(1);
  Lines found;
  for (const auto& sample : samples()) addMissing(sample, found);
  const auto listed = linesOf(MISSING_LIST);
  EXPECT_EQ(without(found, listed), "") << "a rule misses these, and missing.txt does not say so";
  EXPECT_EQ(without(listed, found), "") << "missing.txt lists these, and no rule misses them";
}

}  // namespace
}  // namespace shardlens
