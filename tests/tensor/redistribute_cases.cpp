#include "tests/tensor/redistribute_cases.h"

#include "core/memory/dtypes.h"

#include <gtest/gtest.h>

#include <sstream>

namespace shardlens {
namespace {

constexpr const char* kBetween = " | ";

std::vector<std::string> split(const std::string& text, const std::string& by) {
  std::vector<std::string> parts;
  std::size_t at = 0;
  while (true) {
    const auto end = text.find(by, at);
    parts.push_back(text.substr(at, end - at));
    if (end == std::string::npos) return parts;
    at = end + by.size();
  }
}

// Parses "S(0),SS(1, 2)": splits at the commas outside brackets.
Placements parsePlacements(const std::string& text) {
  Placements placements;
  std::string one;
  int depth = 0;
  for (const char c : text + ",") {
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (c != ',' || depth > 0) {
      one += c;
      continue;
    }
    placements.push_back(parsePlacement(one).value());
    one.clear();
  }
  return placements;
}

template <class List, class Text>
std::string joined(const List& list, const char* by, Text text) {
  std::string all;
  for (const auto& each : list) all += (all.empty() ? "" : by) + text(each);
  return all;
}

}  // namespace

std::string toText(const RedistributeCase& each) {
  const auto number = [](auto n) { return std::to_string(n); };
  const auto placement = [](const Placement& p) { return toText(p); };
  return joined(each.mesh, "x", number) + kBetween + joined(each.shape, ",", number) + kBetween +
         std::string(dtypeName(dtypeOf(each.dtype))) + kBetween +
         joined(each.from, ",", placement) + kBetween + joined(each.to, ",", placement) + kBetween +
         std::string(plannerName(each.planner));
}

RedistributeCase parseCase(const std::string& line) {
  const auto fields = split(line, kBetween);
  RedistributeCase each;
  for (const auto& size : split(fields.at(0), "x")) each.mesh.push_back(std::stoi(size));
  if (!fields.at(1).empty()) {
    for (const auto& size : split(fields[1], ",")) each.shape.push_back(std::stoll(size));
  }
  each.dtype = scalarType(parseDType(fields.at(2)).value());
  each.from = parsePlacements(fields.at(3));
  each.to = parsePlacements(fields.at(4));
  each.planner = parsePlanner(fields.at(5)).value();
  return each;
}

std::vector<int> CaseGenerator::mesh() {
  constexpr int kMostRanks = 24;
  std::vector<int> sizes;
  int ranks = 1;
  const int dims = 1 + below(5);
  for (int i = 0; i < dims; ++i) {
    int size = oneOf(std::vector{1, 2, 2, 2, 3, 3, 4});
    if (ranks * size > kMostRanks) size = 1;
    sizes.push_back(size);
    ranks *= size;
  }
  return sizes;
}

Shape CaseGenerator::shape() {
  Shape sizes;
  const int dims = oneOf(std::vector{0, 1, 1, 2, 2, 2, 3});
  for (int i = 0; i < dims; ++i) {
    sizes.push_back(below(20) == 0 ? 0 : below(3) == 0 ? 8 : 1 + below(13));
  }
  return sizes;
}

Placement CaseGenerator::cut(int tensorDims) {
  const int dim = below(tensorDims);
  if (below(3) > 0) return Shard{dim};
  return StridedShard{dim, oneOf(std::vector{1, 2, 2, 2, 3, 4, 6})};
}

Placement CaseGenerator::wholeOrCut(int tensorDims) {
  return tensorDims == 0 || below(4) == 0 ? Placement(Replicate{}) : cut(tensorDims);
}

RedistributeCase CaseGenerator::next() {
  RedistributeCase each;
  each.mesh = mesh();
  each.shape = shape();
  each.planner = oneOf(std::vector{PlannerKind::MinCost, PlannerKind::MinCost, PlannerKind::Greedy,
                                   PlannerKind::Decompose});
  const std::vector<Placement> floats = {Partial{ReduceOp::Sum}, Partial{ReduceOp::Avg},
                                         Partial{ReduceOp::Max}, Partial{ReduceOp::Product},
                                         NormPartial{2},         Partial{ReduceOp::PremulSum, 0.5}};
  const std::vector<Placement> whole = {Partial{ReduceOp::Sum}, Partial{ReduceOp::Min},
                                        Partial{ReduceOp::Bxor}};
  each.dtype = oneOf(std::vector{at::kFloat, at::kFloat, at::kLong, at::kDouble});
  const auto& kinds = at::isFloatingType(each.dtype) ? floats : whole;
  const Placement reduced = oneOf(kinds);
  const Placement made = below(2) == 0 ? reduced : oneOf(kinds);
  const bool fromPartial = below(3) == 0;
  // A sum can be made from shards, other partials only from replicated values.
  const bool toPartial = below(4) == 0 && takesWhole(made);
  const bool ofShards = made == Placement(Partial{ReduceOp::Sum});
  const int tensorDims = static_cast<int>(each.shape.size());
  for (std::size_t i = 0; i < each.mesh.size(); ++i) {
    const bool isTerm = fromPartial && below(2) == 0;
    each.from.push_back(isTerm ? reduced : wholeOrCut(tensorDims));
    const bool may =
        isReplicate(each.from[i]) || each.from[i] == made || (ofShards && shardedDim(each.from[i]));
    each.to.push_back(toPartial && may && below(2) == 0 ? made : wholeOrCut(tensorDims));
  }
  return each;
}

}  // namespace shardlens
