#include "core/inference/revision.h"

#include "core/model/operator_words.h"

#include <algorithm>
#include <cstddef>

namespace shardlens {
namespace {

constexpr Domain kOtherBit = Domain{1} << PlacementCodes::kOther;

bool allows(Domain domain, int code) { return code == Relation::kAnything || has(domain, code); }

Domain domainOf(int code, Domain any) {
  return code == Relation::kAnything ? any : PlacementCodes::bit(code);
}

class Reviser {
 public:
  Reviser(const PlainGraph& graph, std::size_t operation, const Relation& relation,
          const AxisTraffic& traffic, const std::vector<Domain>& domains, Domain sums)
      : op_(graph.operations[operation]),
        relation_(relation),
        traffic_(traffic),
        domains_(domains),
        sums_(sums),
        isOpen_(relation.isOpen || traffic.mixes(operation)),
        mixes_(traffic.mixes(operation)),
        crosses_(traffic.crosses(operation)),
        inputs_(op_.inputs.size()),
        outputs_(op_.outputs.size()),
        matters_(op_.inputs.size()),
        isExplained_(op_.inputs.size()) {}

  Revision revise(PlacementCodes& codes) {
    for (const auto& row : relation_.rows) {
      if (!crosses_ || !pairsShards(row)) match(row);
    }
    if (traffic_.hasMessages()) matchBlocks(codes);
    if (traffic_.exchangesRows()) matchExperts(codes);
    const bool isWide = widen();
    widenSums();
    const bool isOfOther = areAll(op_.outputs, [&](auto each) { return mayBeOther(each); });
    if (mixes_ && isWide && !isOfOther) return {};
    if (!isMatched_) {
      // A collective gives a meaning to values that have none of an operator.
      const bool isExplained = std::any_of(op_.inputs.begin(), op_.inputs.end(), [&](auto each) {
        return mayBeOther(each) || traffic_.isWeight(each);
      });
      return {isExplained ? Revision::Kind::Nothing : Revision::Kind::Conflicts};
    }
    releaseWeights();
    return {Revision::Kind::Narrows, std::move(inputs_), std::move(outputs_)};
  }

 private:
  template <typename Predicate>
  static bool areAll(const std::vector<std::size_t>& variables, Predicate predicate) {
    return std::all_of(variables.begin(), variables.end(), predicate);
  }

  bool mayBeOther(std::size_t variable) const {
    return has(domains_[variable], PlacementCodes::kOther);
  }

  bool isSum(int code) const { return code != Relation::kAnything && has(sums_, code); }

  // Adds the placements of a row, if it fits.
  void match(const Relation::Row& row) {
    if (inputs_.size() == 1) described_ |= domainOf(row.inputs[0], PlacementCodes::kAny);
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      if (!allows(domains_[op_.inputs[i]], row.inputs[i])) return;
    }
    for (std::size_t i = 0; i < outputs_.size(); ++i) {
      if (!allows(domains_[op_.outputs[i]], row.outputs[i])) return;
    }
    isMatched_ = true;
    const auto hasSum = [&](const std::vector<int>& codes) {
      return std::any_of(codes.begin(), codes.end(), [&](int code) { return isSum(code); });
    };
    sumsRows_ = sumsRows_ || (hasSum(row.outputs) && !hasSum(row.inputs));
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      matters_[i] = matters_[i] || row.inputs[i] != Relation::kAnything;
      isExplained_[i] = isExplained_[i] || row.inputs[i] == PlacementCodes::kOther;
      inputs_[i] |= domainOf(row.inputs[i], domains_[op_.inputs[i]]);
    }
    for (std::size_t i = 0; i < outputs_.size(); ++i) {
      outputs_[i] |= domainOf(row.outputs[i], domains_[op_.outputs[i]]);
    }
  }

  // Returns true if two inputs are shards in a row, whose parts then belong together.
  static bool pairsShards(const Relation::Row& row) {
    return std::count_if(row.inputs.begin(), row.inputs.end(), [](int code) {
             return code != Relation::kAnything && code > PlacementCodes::kOther;
           }) > 1;
  }

  // Adds what products make sense of blocks of which one may come from another rank: rows of the
  // first matrix with columns of the second one. The result is a block of all products.
  void matchBlocks(PlacementCodes& codes) {
    const auto word = wordOf(op_.name);
    if (inputs_.size() != 2 || outputs_.size() != 1 || !isMatrixProduct(word)) return;
    const int rows = word == "mm" ? 0 : 1;
    match({{codes.codeOf(Shard{rows}), codes.codeOf(Shard{rows + 1})}, {Relation::kAnything}});
  }

  // Adds the products of rows with weights of each rank, as those of its expert: they are rows.
  void matchExperts(PlacementCodes& codes) {
    const auto word = wordOf(op_.name);
    const bool isSum = word == "addmm";  // of a bias and a product
    if (inputs_.size() != (isSum ? 3U : 2U) || outputs_.size() != 1) return;
    if (!traffic_.isWeight(op_.inputs.back()) || (!isSum && word != "mm")) return;
    const int rows = codes.codeOf(Shard{0});
    Relation::Row row{{rows, PlacementCodes::kOther}, {rows}};
    if (isSum) row.inputs.insert(row.inputs.begin(), PlacementCodes::kOther);
    match(row);
  }

  // Adds values without a placement, if the inputs may make such. Returns true if that does not
  // depend on what the rows lack.
  bool widen() {
    const bool isSingle = inputs_.size() == 1;
    const Domain missing = isOpen_ && isSingle ? domains_[op_.inputs[0]] & ~described_ : 0;
    std::size_t others = 0;  // inputs that may have values without a placement
    bool isFixed = true;
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      if (isMatched_ && !matters_[i]) continue;
      const bool isExplained = isExplained_[i] && domains_[op_.inputs[i]] == kOtherBit;
      others += mayBeOther(op_.inputs[i]) && !isExplained ? 1 : 0;
      isFixed &= onlyOf(domains_[op_.inputs[i]]).has_value();
    }
    const bool isMissing = !isMatched_ && missing != 0 && others == 0;  // no row has what fits
    const bool isWide =
        others != 0 || (!isMatched_ && !isMissing) || (isOpen_ && !isSingle && !isFixed);
    if (!isWide && missing == 0) return isWide;
    if (!areAll(op_.outputs, [&](auto each) { return mayBeOther(each); })) return isWide;
    // Arithmetic with a shard makes sense with what a row has, or with such values.
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      const Domain its = domains_[op_.inputs[i]];
      const bool isAlone = others == (mayBeOther(op_.inputs[i]) ? 1U : 0U);
      const bool isNarrow = !isOpen_ && others != 0 && isAlone;
      inputs_[i] = !isWide ? inputs_[i] | missing : isNarrow ? inputs_[i] | (its & kOtherBit) : its;
    }
    for (std::size_t i = 0; i < outputs_.size(); ++i) {
      // What a block and one of another rank make may be a part of what is a shard again.
      outputs_[i] |= traffic_.hasMessages() ? domains_[op_.outputs[i]] : kOtherBit;
    }
    isMatched_ = true;
    return isWide;
  }

  // A sum over rows of each rank, as the gradient of an expert, may be of that rank alone. So may
  // one over rows that each rank has in another order.
  void widenSums() {
    if (!mixes_ && (!traffic_.exchangesRows() || !sumsRows_ || relation_.selects)) return;
    for (auto& output : outputs_) {
      if ((output & sums_) != 0) output |= kOtherBit;
    }
  }

  // Only values that differ show that a weight is no copy.
  void releaseWeights() {
    const auto isWeight = [&](auto each) { return traffic_.isWeight(each); };
    if (areAll(op_.inputs, isWeight)) return;
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      const Domain its = domains_[op_.inputs[i]];
      if (isWeight(op_.inputs[i]) && has(its, PlacementCodes::kReplicate)) inputs_[i] = its;
    }
  }

  const PlainOperation& op_;
  const Relation& relation_;
  const AxisTraffic& traffic_;
  const std::vector<Domain>& domains_;
  Domain sums_;  // partial placements
  bool isOpen_;  // other values than those of the rows make sense
  bool mixes_;   // see AxisTraffic
  bool crosses_;
  std::vector<Domain> inputs_, outputs_;
  std::vector<bool> matters_;      // inputs of which a row that fits requires a placement
  std::vector<bool> isExplained_;  // those of which a row that fits has values of each rank
  bool isMatched_ = false;         // a row fits
  bool sumsRows_ = false;          // a row that fits makes sums of what is none
  Domain described_ = kOtherBit;   // of a single input: placements that have a row
};

}  // namespace

Revision reviseOperation(const PlainGraph& graph, std::size_t operation, const Relation& relation,
                         const AxisTraffic& traffic, const std::vector<Domain>& domains,
                         PlacementCodes& codes) {
  const auto& op = graph.operations[operation];
  const bool isConstant = !op.outputs.empty() && graph.variables[op.outputs.front()].isConstant;
  if (!relation.isNew && !isConstant) {
    return Reviser(graph, operation, relation, traffic, domains, codes.partialSums()).revise(codes);
  }
  return {Revision::Kind::Narrows, std::vector<Domain>(op.inputs.size(), PlacementCodes::kAny),
          std::vector<Domain>(op.outputs.size(), ~kOtherBit)};
}

}  // namespace shardlens
