#include "core/inference/place_relation.h"

#include "core/inference/call_schema.h"
#include "core/model/operator_words.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace shardlens {
namespace {

constexpr int kAnyInput = Relation::kAnything;
constexpr int kCopies = PlacementCodes::kReplicate;

bool writesZero(const PlainGraph& graph, const PlainOperation& op) {
  const auto value = op.call->args.find("value");
  if (value != op.call->args.end()) return value->is_number() && value->get<double>() == 0;
  // The values of an index_put are a tensor: a number of which the program made one is taken as 0.
  return op.name.starts_with("aten.index_put") &&
         graph.variables[op.inputs.back()].meta.ndim() == 0;
}

// A partial sum in which a rank zeroes rows stays one: the program sums what is left.
void addZeroing(PlacementCodes& codes, const PlainGraph& graph, const PlainOperation& op,
                Relation& relation) {
  const bool zeroes =
      op.name.starts_with("aten.masked_fill") || op.name.starts_with("aten.index_put");
  if (!zeroes || !writesZero(graph, op)) return;
  std::vector<int> inputs(op.inputs.size(), kAnyInput);
  inputs.front() = codes.codeOf(Partial{});
  relation.rows.push_back({std::move(inputs), {codes.codeOf(Partial{})}});
  relation.isKnown = true;
}

// Returns true for an operator that reads or writes rows of its first input by an index.
bool isOfRows(const PlainOperation& op, std::string_view word) {
  if (word == "index" || word == "index_put" || word == "index_put_") {
    const auto indices = op.call->args.find("indices");
    return indices != op.call->args.end() && indices->size() == 1;
  }
  constexpr std::array<std::string_view, 5> kWords{"index_select", "index_copy", "index_copy_",
                                                   "index_add", "index_add_"};
  return std::find(kWords.begin(), kWords.end(), word) != kWords.end() &&
         integerOf<int>(op.call->args, "dim") == 0;
}

// Returns true if a view may have merged dimensions into the rows of a variable. A shard of the
// second one then is a strided shard of the rows, which an index makes a shard like any other.
bool mayBeMerged(const PlainGraph& graph, std::size_t variable, const std::vector<int>& merged) {
  const auto& shape = graph.variables[variable].meta.shape;
  return std::any_of(merged.begin(), merged.end(),
                     [&](int factor) { return !shape.empty() && shape.front() % factor == 0; });
}

// An index has the rank's own places. Rows of a shard are rows of a shard, in another order; those
// of a table of which each rank has a part, and rows written into zeros, may be a partial sum.
void addRows(PlacementCodes& codes, const PlainGraph& graph, const PlainOperation& op,
             std::string_view word, const Placements& candidates, const std::vector<int>& merged,
             Relation& relation) {
  const bool reads = word == "index" || word == "index_select";
  if (!isOfRows(op, word) || op.inputs.size() != (reads ? 2U : 3U)) return;
  if (mayBeMerged(graph, op.inputs.front(), merged)) {
    if (reads) relation = {};
    return;
  }
  const int sum = codes.codeOf(Partial{});
  for (const auto& placement : candidates) {
    if (shardedDim(placement) != 0) continue;
    const int code = codes.codeOf(placement);
    if (reads) {
      relation.rows.push_back({{code, kAnyInput}, {code}});
      relation.rows.push_back({{code, kAnyInput}, {sum}});
    } else {
      relation.rows.push_back({{code, kAnyInput, code}, {code}});
      relation.rows.push_back({{sum, kAnyInput, code}, {sum}});
    }
  }
  relation.isKnown = true;
  relation.isOpen = false;
  relation.selects = reads;
}

// An index of several dimensions has the rank's own places, too. Rows of a shard of the first of
// them are a shard of the result. Nothing is known of shards of the remaining ones, as of the words
// of a vocabulary, of which a rank may have none of those that the index names.
void addElements(PlacementCodes& codes, const PlainOperation& op, std::string_view word,
                 Relation& relation) {
  const bool reads = word == "index";
  if (!reads && word != "index_put" && word != "index_put_") return;
  const auto indices = op.call->args.find("indices");
  if (indices == op.call->args.end() || !indices->is_array() || indices->size() < 2) return;
  if (std::any_of(indices->begin(), indices->end(),
                  [](const auto& each) { return each.is_null(); }))
    return;
  if (op.inputs.size() != indices->size() + (reads ? 1 : 2)) return;
  const int rows = codes.codeOf(Shard{0});
  std::vector<int> inputs(op.inputs.size(), kAnyInput);
  inputs.front() = rows;
  if (!reads) inputs.back() = rows;
  if (reads) relation.rows.push_back({inputs, {codes.codeOf(Partial{})}});
  relation.rows.push_back({std::move(inputs), {rows}});
  relation.isKnown = relation.isOpen = true;
}

// Bags of each rank's own ids, which the engine's rules refuse: a rank's offsets are those of its
// own bags, so the ids of all ranks together would need others.
void addBags(PlacementCodes& codes, const PlainOperation& op, std::string_view word,
             Relation& relation) {
  if (!relation.isKnown || !word.starts_with("_embedding_bag") || op.inputs.size() < 3) return;
  const int rows = codes.codeOf(Shard{0});
  Relation::Row row{std::vector<int>(op.inputs.size(), kAnyInput), {}};
  if (word.ends_with("backward")) {
    if (word == "_embedding_bag_per_sample_weights_backward") return;
    row.inputs.front() = rows;
    row.outputs = {codes.codeOf(Partial{})};
  } else {
    row.inputs[0] = kCopies;
    row.inputs[1] = rows;
    row.outputs.assign(op.outputs.size(), rows);
  }
  relation.rows.push_back(std::move(row));
}

}  // namespace

void addPlaces(PlacementCodes& codes, const PlainGraph& graph, const PlainOperation& op,
               const Placements& candidates, const std::vector<int>& merged, Relation& relation) {
  const auto word = wordOf(op.name);
  addZeroing(codes, graph, op, relation);
  addRows(codes, graph, op, word, candidates, merged, relation);
  addElements(codes, op, word, relation);
  addBags(codes, op, word, relation);
}

}  // namespace shardlens
