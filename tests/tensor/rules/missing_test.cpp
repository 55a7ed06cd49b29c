// What the rules miss: layouts under which each rank's part gives a part of the result, found by
// trying them all, and which are redistributed all the same. missing.txt lists them.

#include "tests/tensor/ranks.h"
#include "tests/tensor/rules/samples.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>

namespace shardlens {
namespace {

using Tensors = Sample::Tensors;
using Lines = std::set<std::string>;

// Terms of a whole that are not alike, nor nothing: what holds of them holds of any.
Buffers termsOf(const at::Tensor& whole, ReduceOp op, int ranks) {
  Buffers terms;
  const auto noise = wholeNumbers(whole.sizes(), 3).to(whole.dtype());
  const auto owner = at::arange(whole.numel()).remainder(ranks).reshape(whole.sizes());
  for (int rank = 0; rank < ranks; ++rank) {
    const int weight = rank == 0 ? 1 - ranks : 1;  // sums to nothing
    const auto others = owner.ne(rank);
    const auto away = noise.abs() + 12;
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

Buffers partsOf(const at::Tensor& whole, const Placement& placement, int ranks) {
  if (const auto op = partialOp(placement)) return termsOf(whole, *op, ranks);
  const auto lying = distribute(shardlens::ranks({ranks}), whole.clone(), {placement});
  return shardedImpl(lying).locals();
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

// Whether what the ranks got are parts of the result under any placement.
bool makes(const Sample& sample, const Buffers& parts, const at::Tensor& expected) {
  for (const auto& placement : placementsFor(expected, /*terms=*/true)) {
    const bool replicated = isReplicate(placement);
    if (replicated && !std::all_of(parts.begin(), parts.end(), [&](const at::Tensor& part) {
          return matches(sample, part, expected);
        })) {
      continue;
    }
    try {
      if (matches(sample, assembled(parts, placement), expected)) return true;
    } catch (const std::exception&) {  // parts of such shapes do not fit together
    }
  }
  return false;
}

// Whether ranks that run the plain operator on their parts have parts of its result.
bool needsNoRedistribution(const Sample& sample, const Placements& layout, int ranks,
                           const Tensors& expected) {
  std::vector<Buffers> parts;
  for (std::size_t i = 0; i < layout.size(); ++i) {
    parts.push_back(partsOf(sample.tensors[i], layout[i], ranks));
  }
  std::vector<Buffers> results(expected.size());
  for (int rank = 0; rank < ranks; ++rank) {
    Tensors own;
    for (const auto& part : parts) own.push_back(part[static_cast<std::size_t>(rank)].clone());
    try {
      const auto got = sample.call(own);
      if (got.size() != expected.size()) return false;
      for (std::size_t i = 0; i < got.size(); ++i) results[i].push_back(got[i]);
    } catch (const std::exception&) {
      return false;
    }
  }
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (!makes(sample, results[i], expected[i])) return false;
  }
  return true;
}

bool isRedistributed(const Sample& sample, const Placements& layout) {
  const auto runtime =
      Runtime::simulated(*DeviceMesh::make({2}), {.redistributions = Redistributions::Explicit});
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

template <class Fn>
void forEachLayout(const Sample& sample, Fn fn) {
  std::vector<Placements> layouts{{}};
  for (const auto& tensor : sample.tensors) {
    std::vector<Placements> longer;
    for (const auto& layout : layouts) {
      for (const auto& next : placementsFor(tensor, sample.terms == Sample::Terms::Tried)) {
        longer.push_back(layout);
        longer.back().push_back(next);
      }
    }
    layouts = std::move(longer);
  }
  for (const auto& layout : layouts) fn(layout);
}

void addMissing(const Sample& sample, Lines& lines) {
  const auto expected = plainResults(sample);
  std::string missing;
  forEachLayout(sample, [&](const Placements& layout) {
    // Replicated tensors are no question. What two ranks and three can do is no chance.
    if (std::all_of(layout.begin(), layout.end(), isReplicate)) return;
    if (!isRedistributed(sample, layout)) return;
    for (const int ranks : {2, 3}) {
      if (!needsNoRedistribution(sample, layout, ranks, expected)) return;
    }
    missing += "  " + toText(layout);
  });
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

TEST(RulesMiss, WhatTheListSays) {
  at::set_num_threads(1);
  Lines found;
  for (const auto& sample : allSamples()) addMissing(sample, found);
  const auto listed = linesOf(MISSING_LIST);
  EXPECT_EQ(without(found, listed), "") << "a rule misses these, and missing.txt does not say so";
  EXPECT_EQ(without(listed, found), "") << "missing.txt lists these, and no rule misses them";
}

}  // namespace
}  // namespace shardlens
