#include "core/inference/relations.h"

#include "core/base/check.h"
#include "core/inference/call_schema.h"
#include "core/inference/parts.h"
#include "core/inference/place_relation.h"
#include "core/inference/view_relation.h"
#include "core/model/operator_words.h"
#include "core/ops/rule_registry.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <exception>
#include <set>
#include <string_view>

namespace shardlens {
namespace {

constexpr int kAnything = Relation::kAnything;
constexpr int kReplicate = PlacementCodes::kReplicate;
constexpr int kOther = PlacementCodes::kOther;

template <std::size_t size>
bool isAmong(std::string_view word, const std::array<std::string_view, size>& words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool isRandom(std::string_view word) {
  constexpr std::array<std::string_view, 11> kWords{
      "rand",      "randn",      "randint", "randperm", "rand_like",     "randn_like",
      "bernoulli", "bernoulli_", "normal_", "uniform_", "native_dropout"};
  return isAmong(word, kWords);
}

// Returns the candidates that a rule is asked about for tensors of up to this many dimensions.
Placements candidatesOf(int ndim, const std::vector<int>& factors) {
  Placements all{Replicate{}, Partial{}, Partial{ReduceOp::Avg}};
  for (int dim = 0; dim < ndim; ++dim) {
    all.emplace_back(Shard{dim});
    for (const int factor : factors) all.emplace_back(StridedShard{dim, factor});
  }
  return all;
}

int mostDimensions(const PlainGraph& graph, const PlainOperation& op) {
  int most = 0;
  for (const auto input : op.inputs) most = std::max(most, graph.variables[input].meta.ndim());
  return most;
}

// The mask of a lookup in a sharded table is the program's: the ids are any values, and the result
// is a partial sum.
int maskedAs(PlacementCodes& codes, const Placement& placement, bool isInput) {
  if (!isMaskPartial(placement)) return codes.codeOf(placement);
  return isInput ? kAnything : codes.codeOf(Partial{});
}

Relation::Row rowOf(PlacementCodes& codes, const Placements& inputs, const Placements& outputs) {
  Relation::Row row;
  for (const auto& placement : inputs) row.inputs.push_back(maskedAs(codes, placement, true));
  for (const auto& placement : outputs) row.outputs.push_back(maskedAs(codes, placement, false));
  return row;
}

// Returns true for families of operators that compute nothing meaningful from other placements than
// those of their rules.
bool isClosed(std::string_view family) {
  constexpr std::array<std::string_view, 13> kFamilies{
      "attention", "batched", "embedding", "fused_attention", "group_norm", "layer_norm", "loss",
      "matmul",    "norm",    "pointwise", "pointwise_loss",  "reduction",  "scan"};
  return isAmong(family, kFamilies);
}

// Each rank may sort its own rows, as a router does with its tokens.
bool isSort(std::string_view word) { return word == "sort" || word == "topk"; }

// Adds the rows of the engine's rule.
void addRule(PlacementCodes& codes, const PlainGraph& graph, const PlainOperation& op,
             const Placements& candidates, Relation& relation) {
  const auto found = findRule(op.name, op.call->isPointwise ? OpTag::Pointwise : OpTag::None);
  if (found.rule == nullptr || found.perElement) return;
  const auto add = [&](const Placements& inputs, const Placements& outputs) {
    if (inputs.size() != op.inputs.size() || outputs.size() != op.outputs.size()) return;
    auto row = rowOf(codes, inputs, outputs);
    if (std::find(relation.rows.begin(), relation.rows.end(), row) == relation.rows.end()) {
      relation.rows.push_back(std::move(row));
    }
  };
  relation.isKnown = true;
  relation.isOpen = !isClosed(found.rule->family) || isSort(wordOf(op.name));
  add(Placements(op.inputs.size(), Replicate{}), Placements(op.outputs.size(), Replicate{}));
  try {
    if (found.rule->singleDimStrategies != nullptr) {
      for (const auto& strategy :
           found.rule->singleDimStrategies(schemaOf(graph, op, candidates))) {
        add(strategy.inputs, strategy.outputs);
      }
      return;
    }
    for (const auto& candidate : candidates) {
      const auto dim = shardedDim(candidate);
      if (dim && *dim >= graph.variables[op.inputs.front()].meta.ndim()) continue;
      for (const auto& strategy :
           found.rule->fullMeshStrategies(schemaOf(graph, op, {candidate}))) {
        Placements inputs, outputs;
        for (const auto& each : strategy.inputs) inputs.push_back(each.at(0));
        for (const auto& each : strategy.outputs) outputs.push_back(each.at(0));
        if (!inputs.empty() && inputs.front() == candidate) add(inputs, outputs);
      }
    }
  } catch (const std::exception&) {  // a call that the rule does not accept
    relation = {};
  }
}

// The values of random operators are sharded where their input is. For a whole input, generators in
// the same state give a whole result, others give different values.
Relation random(PlacementCodes& codes, const PlainOperation& op, const Placements& candidates) {
  Relation relation{.isKnown = true};
  if (op.inputs.empty()) return {.isKnown = true, .isNew = true};
  for (const auto& candidate : candidates) {
    if (!shardedDim(candidate)) continue;
    relation.rows.push_back(Relation::rowOfAll(op, codes.codeOf(candidate)));
  }
  for (const int code : {kReplicate, kOther}) {
    relation.rows.push_back({std::vector<int>(op.inputs.size(), kReplicate),
                             std::vector<int>(op.outputs.size(), code)});
  }
  return relation;
}

// The written tensor takes the placement of the copied one; its former placement does not matter.
Relation copied(PlacementCodes& codes, const Placements& candidates) {
  Relation relation{.isKnown = true};
  for (const auto& placement : candidates) {
    const int code = codes.codeOf(placement);
    relation.rows.push_back({{kAnything, code}, {code}});
  }
  return relation;
}

// A part of the memory of a whole tensor is whole, a part of a partial sum is a partial sum, and a
// part of a shard may be a shard of any dimension.
Relation partOfMemory(PlacementCodes& codes, const Placements& candidates) {
  Relation relation{.isOpen = true, .isKnown = true};
  for (const auto& from : candidates) {
    for (const auto& to : candidates) {
      if (from != to && !(shardedDim(from) && shardedDim(to))) continue;
      relation.rows.push_back({{codes.codeOf(from)}, {codes.codeOf(to)}});
    }
  }
  return relation;
}

// The parts of a whole tensor are whole, those of a partial sum are partial sums; those of a shard
// may be anything. The first part replaces what the tensor contained before.
Relation partWrite(PlacementCodes& codes, const Placements& candidates, bool isFirst) {
  Relation relation{.isOpen = true, .isKnown = true};
  for (const auto& placement : candidates) {
    const int code = codes.codeOf(placement);
    if (shardedDim(placement)) {
      relation.rows.push_back({{kAnything, kAnything}, {code}});
    } else {
      relation.rows.push_back({{isFirst ? kAnything : code, code}, {code}});
    }
  }
  relation.rows.push_back({{kAnything, kOther}, {kOther}});
  if (!isFirst) relation.rows.push_back({{kOther, kAnything}, {kOther}});
  return relation;
}

// Packs of whole tensors are whole, those of partial sums are partial sums; those of shards may be
// anything.
Relation packed(PlacementCodes& codes, const PlainOperation& op, const Placements& candidates) {
  Relation relation{.isOpen = true, .isKnown = true};
  for (const auto& placement : candidates) {
    if (shardedDim(placement)) continue;
    relation.rows.push_back(Relation::rowOfAll(op, codes.codeOf(placement)));
  }
  return relation;
}

constexpr std::string_view kFills = ".out";

// Returns true for an operator that fills its last input without reading it: aten.mul.out.
bool fillsLastInput(const PlainOperation& op) {
  return op.name.ends_with(kFills) && op.written.size() == 1 && op.inputs.size() > 1 &&
         op.written.front() + 1 == static_cast<int>(op.inputs.size());
}

// Returns the operator that returns a new tensor: aten.mul.Tensor.
PlainOperation withoutFilled(PlainOperation op) {
  op.name.replace(op.name.size() - kFills.size(), kFills.size(), ".Tensor");
  op.inputs.pop_back();
  op.written = {-1};
  return op;
}

// An expanded scalar has equal elements, so that it is a shard of itself, too.
void addExpanded(PlacementCodes& codes, const PlainGraph& graph, const PlainOperation& op,
                 Relation& relation) {
  const auto& from = graph.variables[op.inputs.front()].meta.shape;
  const auto& to = graph.variables[op.outputs.front()].meta.shape;
  if (from.size() > to.size()) return;
  for (std::size_t dim = 0; dim < to.size(); ++dim) {
    const std::size_t added = to.size() - from.size();
    if (dim >= added && from[dim - added] == to[dim]) continue;
    relation.rows.push_back({{kReplicate}, {codes.codeOf(Shard{static_cast<int>(dim)})}});
  }
}

// The result of another part on each rank may have any placement.
bool selectsByRank(std::string_view word) {
  constexpr std::array<std::string_view, 6> kWords{"slice", "narrow",           "select",
                                                   "split", "split_with_sizes", "index_select"};
  return isAmong(word, kWords);
}

// An elementwise operator with another number on each rank keeps shards. What it makes of a whole
// tensor is whole along axes on which the number is the same.
Relation withOwnNumbers(PlacementCodes& codes, const Placements& candidates) {
  Relation relation{.isOpen = true, .isKnown = true};
  for (const auto& placement : candidates) {
    const int code = codes.codeOf(placement);
    if (shardedDim(placement) || code == kReplicate) relation.rows.push_back({{code}, {code}});
    if (!shardedDim(placement)) relation.rows.push_back({{code}, {kOther}});
  }
  return relation;
}

std::string keyOf(const PlainGraph& graph, const PlainOperation& op) {
  std::string key =
      fmt::format("{} {} {}", op.name, static_cast<const void*>(op.call.get()), op.isOnAllRanks);
  const auto add = [&](std::size_t variable) {
    const auto& meta = graph.variables[variable].meta;
    key += fmt::format(" {}{}", static_cast<int>(meta.dtype), toText(meta.shape));
  };
  for (const auto input : op.inputs) add(input);
  key += " ->";
  for (const auto output : op.outputs) add(output);
  return key;
}

bool isViewOf(const PlainOperation& op) {
  const auto word = wordOf(op.name);
  return (isReshape(word) || word == "clone") && op.inputs.size() == 1 && op.outputs.size() == 1;
}

Relation viewOf(PlacementCodes& codes, const PlainGraph& graph, const PlainOperation& op) {
  return viewRelation(codes, graph.variables[op.inputs.front()].meta.shape,
                      graph.variables[op.outputs.front()].meta.shape,
                      wordOf(op.name) == "unsqueeze");
}

}  // namespace

void findSources(PlainGraph& graph) {
  for (const auto& op : graph.operations) {
    const auto word = wordOf(op.name);
    const bool isPlain = op.isOnAllRanks && !op.call->differs && op.call->mixed.empty() &&
                         op.call->collective.empty() && !isRandom(word);
    const bool isConstant =
        isPlain && (op.inputs.empty()
                        ? isCreation(word)
                        : std::all_of(op.inputs.begin(), op.inputs.end(), [&](std::size_t input) {
                            return graph.variables[input].isConstant;
                          }));
    const bool isDrawn = op.inputs.empty() && isRandom(word);
    for (const auto output : op.outputs) {
      graph.variables[output].isConstant = isConstant;
      graph.variables[output].isLeaf |= isDrawn;
    }
  }
}

Relations::Relations(const PlainGraph& graph, PlacementCodes& codes) : codes_(codes) {
  std::set<int> factors, merged;
  std::set<std::pair<Shape, Shape>> seen;
  bool movesShards = false;
  for (const auto& op : graph.operations) {
    movesShards |= op.movesShard;
    if (!isViewOf(op)) continue;
    const auto& from = graph.variables[op.inputs.front()].meta.shape;
    const auto& to = graph.variables[op.outputs.front()].meta.shape;
    if (!seen.emplace(from, to).second) continue;
    for (const auto& row : viewRelation(codes_, from, to).rows) {
      for (const int code : {row.inputs.front(), row.outputs.front()}) {
        if (code <= PlacementCodes::kOther) continue;
        const auto* strided = std::get_if<StridedShard>(&codes_.placementOf(code));
        if (strided == nullptr) continue;
        factors.insert(strided->splitFactor);
        if (code == row.outputs.front() && code != row.inputs.front()) {
          merged.insert(strided->splitFactor);
        }
      }
    }
  }
  if (movesShards) merged = factors;
  factors_.assign(factors.begin(), factors.end());
  merged_.assign(merged.begin(), merged.end());
}

const Relation& Relations::of(const PlainGraph& graph, const PlainOperation& op) {
  const auto [known, isNew] = known_.try_emplace(keyOf(graph, op));
  if (isNew) {
    known->second = compute(graph, op);
    std::erase_if(known->second.rows, [&](const Relation::Row& row) {
      return row.inputs.size() != op.inputs.size() || row.outputs.size() != op.outputs.size();
    });
  }
  return known->second;
}

Relation Relations::compute(const PlainGraph& graph, const PlainOperation& op) {
  const auto word = wordOf(op.name);
  if (!op.isOnAllRanks || op.outputs.empty()) return {};
  if (op.call->differs) {
    if (selectsByRank(word)) return {.isKnown = true, .isNew = true};
    return op.call->isPointwise && op.inputs.size() == 1 && op.outputs.size() == 1
               ? withOwnNumbers(codes_, candidatesOf(mostDimensions(graph, op), factors_))
               : Relation{};
  }
  if (isCreation(word)) return {.isKnown = true, .isNew = true};
  const auto candidates = candidatesOf(mostDimensions(graph, op), factors_);
  if (isPacking(op.name)) return packed(codes_, op, candidates);
  if (isPartWrite(op.name)) return partWrite(codes_, candidates, op.name == kFirstPartWrite);
  if (isRandom(word)) return random(codes_, op, candidates);
  if (op.inputs.empty()) return {};
  if (word == "copy_" && op.inputs.size() == 2) return copied(codes_, candidates);
  if (isViewOf(op)) return viewOf(codes_, graph, op);
  // Each rank may renormalise the rows of its own ids.
  if (word == "embedding_renorm" || word == "embedding_renorm_") return {};
  if (word == "as_strided" && op.inputs.size() == 1) return partOfMemory(codes_, candidates);
  if (fillsLastInput(op)) {
    Relation relation = compute(graph, withoutFilled(op));
    for (auto& row : relation.rows) row.inputs.push_back(kAnything);
    return relation;
  }
  Relation relation;
  addRule(codes_, graph, op, candidates, relation);
  if (word == "expand" && relation.isKnown) addExpanded(codes_, graph, op, relation);
  addPlaces(codes_, graph, op, candidates, merged_, relation);
  // Rules say nothing of a row with an output that has no code.
  std::erase_if(relation.rows, [](const Relation::Row& row) {
    return std::count(row.inputs.begin(), row.inputs.end(), kOther) != 0;
  });
  return relation;
}

}  // namespace shardlens
