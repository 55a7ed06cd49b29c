#include "core/inference/revision.h"

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
  Reviser(const PlainOperation& op, const Relation& relation, const AxisTraffic& traffic,
          const std::vector<Domain>& domains)
      : op_(op),
        relation_(relation),
        traffic_(traffic),
        domains_(domains),
        inputs_(op.inputs.size()),
        outputs_(op.outputs.size()),
        matters_(op.inputs.size()) {}

  Revision revise(Domain sums) {
    for (const auto& row : relation_.rows) match(row);
    const bool isWide = widen();
    widenSums(sums);
    const bool isOfOther = areAll(op_.outputs, [&](auto each) { return mayBeOther(each); });
    if (traffic_.hasMessages() && isWide && !isOfOther) return {};
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
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      matters_[i] = matters_[i] || row.inputs[i] != Relation::kAnything;
      inputs_[i] |= domainOf(row.inputs[i], domains_[op_.inputs[i]]);
    }
    for (std::size_t i = 0; i < outputs_.size(); ++i) {
      outputs_[i] |= PlacementCodes::bit(row.outputs[i]);
    }
  }

  // Adds values without a placement, if the inputs may make such. Returns true if that does not
  // depend on what the rows lack.
  bool widen() {
    const bool isOpen = relation_.isOpen || traffic_.hasMessages();
    const bool isSingle = inputs_.size() == 1;
    const Domain missing = isOpen && isSingle ? domains_[op_.inputs[0]] & ~described_ : 0;
    std::size_t others = 0;  // inputs that may have values without a placement
    bool isFixed = true;
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      if (isMatched_ && !matters_[i]) continue;
      others += mayBeOther(op_.inputs[i]) ? 1 : 0;
      isFixed &= onlyOf(domains_[op_.inputs[i]]).has_value();
    }
    const bool isMissing = !isMatched_ && missing != 0 && others == 0;  // no row has what fits
    const bool isWide =
        others != 0 || (!isMatched_ && !isMissing) || (isOpen && !isSingle && !isFixed);
    if (!isWide && missing == 0) return isWide;
    if (!areAll(op_.outputs, [&](auto each) { return mayBeOther(each); })) return isWide;
    // Arithmetic with a shard makes sense with what a row has, or with such values.
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      const Domain its = domains_[op_.inputs[i]];
      const bool isAlone = others == (mayBeOther(op_.inputs[i]) ? 1U : 0U);
      const bool isNarrow = !isOpen && others != 0 && isAlone;
      inputs_[i] = !isWide ? inputs_[i] | missing : isNarrow ? inputs_[i] | (its & kOtherBit) : its;
    }
    for (auto& output : outputs_) output |= kOtherBit;
    isMatched_ = true;
    return isWide;
  }

  // A sum over rows of each rank, as the gradient of an expert, may be of that rank alone.
  void widenSums(Domain sums) {
    const bool isOfSums = std::any_of(op_.inputs.begin(), op_.inputs.end(),
                                      [&](auto input) { return (domains_[input] & sums) != 0; });
    if (!traffic_.exchangesRows() || isOfSums) return;
    for (auto& output : outputs_) {
      if ((output & sums) != 0) output |= kOtherBit;
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
  std::vector<Domain> inputs_, outputs_;
  std::vector<bool> matters_;     // inputs of which a row that fits requires a placement
  bool isMatched_ = false;        // a row fits
  Domain described_ = kOtherBit;  // of a single input: placements that have a row
};

}  // namespace

Revision reviseOperation(const PlainGraph& graph, const PlainOperation& op,
                         const Relation& relation, const AxisTraffic& traffic,
                         const std::vector<Domain>& domains, Domain sums) {
  const bool isConstant = !op.outputs.empty() && graph.variables[op.outputs.front()].isConstant;
  if (!relation.isNew && !isConstant) return Reviser(op, relation, traffic, domains).revise(sums);
  return {Revision::Kind::Narrows, std::vector<Domain>(op.inputs.size(), PlacementCodes::kAny),
          std::vector<Domain>(op.outputs.size(), ~kOtherBit)};
}

}  // namespace shardlens
