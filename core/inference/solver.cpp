#include "core/inference/solver.h"

#include "core/inference/collective_relation.h"
#include "core/inference/revision.h"

#include <algorithm>
#include <utility>

namespace shardlens {
namespace {

constexpr Domain kWhole = Domain{1} << PlacementCodes::kReplicate;

}  // namespace

PlacementSolver::PlacementSolver(const PlainGraph& graph, const RankAxis& axis,
                                 PlacementCodes& codes, Relations& relations)
    : graph_(graph),
      axis_(axis),
      codes_(codes),
      relations_(relations),
      traffic_(graph, axis),
      users_(graph.variables.size()),
      pairs_(graph.variables.size()),
      isOff_(graph.operations.size()),
      isUnknown_(graph.variables.size()),
      isContradicted_(graph.variables.size()) {
  for (std::size_t i = 0; i < graph.operations.size(); ++i) {
    const auto& op = graph.operations[i];
    isOff_[i] = op.isPart;
    for (const auto variable : op.inputs) users_[variable].push_back(i);
    for (const auto variable : op.outputs) users_[variable].push_back(i);
    if (op.sent) users_[*op.sent].push_back(i);
  }
  for (std::size_t i = 0; i < graph.gradients.size(); ++i) {
    pairs_[graph.gradients[i].first].push_back(i);
  }
}

void PlacementSolver::restrict(std::size_t variable, Domain domain, Evidence evidence) {
  facts_.push_back({variable, domain, evidence});
}

void PlacementSolver::contradict(std::size_t variable) {
  isContradicted_[variable] = isUnknown_[variable] = true;
}

void PlacementSolver::solve() {
  constexpr int kMostRounds = 32;
  for (int round = 0; round < kMostRounds; ++round) {
    const std::size_t known = conflicts_.size();
    begin();
    run();
    if (conflicts_.size() == known) return;
    for (std::size_t i = known; i < conflicts_.size(); ++i) withdraw(conflicts_[i]);
  }
  std::fill(domains_.begin(), domains_.end(), PlacementCodes::kAny);
}

void PlacementSolver::begin() {
  domains_.assign(graph_.variables.size(), PlacementCodes::kAny);
  evidence_.assign(graph_.variables.size(), {});
  for (std::size_t i = 0; i < domains_.size(); ++i) {
    const auto& variable = graph_.variables[i];
    if (variable.tensor != 0) domains_[i] = codes_.possible(variable.meta.ndim());
  }
  addLeaves();
  for (const auto& [variable, domain, evidence] : facts_) {
    if (isUnknown_[variable]) continue;
    // The statement of the program explains values that are equal by chance, and replaces what is
    // assumed of a leaf.
    const bool isByChance = evidence.kind == EvidenceKind::Claim &&
                            evidence_[variable].kind == EvidenceKind::EqualValues &&
                            (domains_[variable] & domain) == 0;
    const bool isAssumed =
        evidence.kind == EvidenceKind::Claim && evidence_[variable].kind == EvidenceKind::None;
    domains_[variable] = isByChance || isAssumed ? domain : domains_[variable] & domain;
    evidence_[variable] = evidence;
    if (domains_[variable] == 0) {
      isContradicted_[variable] = isUnknown_[variable] = true;
      domains_[variable] = PlacementCodes::kAny;
    }
  }
  for (std::size_t i = 0; i < graph_.operations.size(); ++i) {
    if (!graph_.operations[i].call->collective.empty() && !isOff_[i]) addCollective(i);
  }
  queue_.clear();
  isQueued_.assign(graph_.operations.size(), false);
  for (std::size_t i = 0; i < graph_.operations.size(); ++i) {
    queue_.push_back(i);
    isQueued_[i] = true;
  }
}

// A leaf is whole or a shard: a program makes partial values by computing them.
void PlacementSolver::addLeaves() {
  for (std::size_t i = 0; i < graph_.variables.size(); ++i) {
    const auto& variable = graph_.variables[i];
    if (!variable.isLeaf || variable.isUnseen || isUnknown_[i]) continue;
    domains_[i] = kWhole | codes_.shards(variable.meta.ndim());
  }
}

void PlacementSolver::addCollective(std::size_t operation) {
  const auto& op = graph_.operations[operation];
  auto facts = collectiveFacts(graph_, op, axis_, codes_);
  if (facts.inputs) {
    for (const auto input : op.inputs) fact(operation, input, *facts.inputs);
  }
  if (facts.outputs) {
    for (const auto output : op.outputs) fact(operation, output, *facts.outputs);
    for (const auto alias : op.aliases) {
      if (*facts.outputs == kWhole) fact(operation, alias, kWhole);
    }
  }
  collectives_.resize(graph_.operations.size());
  collectives_[operation] = std::move(facts.relation);
}

// A collective defines what its values mean, so that its fact replaces what is assumed of a leaf.
void PlacementSolver::fact(std::size_t operation, std::size_t variable, Domain domain) {
  if (isUnknown_[variable]) return;
  const Evidence evidence{EvidenceKind::Collective, graph_.operations[operation].event};
  const bool isAssumed =
      graph_.variables[variable].isLeaf && evidence_[variable].kind == EvidenceKind::None;
  if (isAssumed) domains_[variable] = PlacementCodes::kAny;
  narrow(variable, domain, operation, evidence);
}

bool PlacementSolver::narrow(std::size_t variable, Domain domain, std::size_t operation,
                             Evidence evidence) {
  const Domain now = domains_[variable] & domain;
  if (now == domains_[variable] || isUnknown_[variable]) return true;
  if (now == 0) {
    conflicts_.push_back({operation, variable, domain, domains_[variable]});
    return false;
  }
  domains_[variable] = now;
  if (evidence.kind > EvidenceKind::Rule || evidence_[variable].kind <= EvidenceKind::Rule) {
    evidence_[variable] = evidence;
  }
  enqueueAround(variable);
  return true;
}

void PlacementSolver::enqueueAround(std::size_t variable) {
  if (isQueued_.empty()) return;
  for (const auto user : users_[variable]) {
    if (isQueued_[user]) continue;
    isQueued_[user] = true;
    queue_.push_back(user);
  }
  for (const auto pair : pairs_[variable]) reviseGradient(pair);
}

void PlacementSolver::run() {
  for (std::size_t pair = 0; pair < graph_.gradients.size(); ++pair) reviseGradient(pair);
  while (!queue_.empty()) {
    const std::size_t operation = queue_.front();
    queue_.pop_front();
    isQueued_[operation] = false;
    if (!isOff_[operation] && !revise(operation)) isOff_[operation] = true;
  }
}

// The gradient of a shard is that shard of the gradient; of a whole parameter it is whole, or the
// sum of what the ranks have.
void PlacementSolver::reviseGradient(std::size_t pair) {
  const auto& [parameter, gradient] = graph_.gradients[pair];
  const auto code = onlyOf(domains_[parameter]);
  if (!code || isUnknown_[parameter] || *code == PlacementCodes::kOther) return;
  const Domain allowed = *code == PlacementCodes::kReplicate ? kWhole | codes_.partialSums()
                                                             : PlacementCodes::bit(*code);
  if (isUnknown_[gradient]) return;
  // Values of each rank, as sums over its own rows, are a shard together if the parameter is one.
  const Domain common = domains_[gradient] & allowed;
  const bool isOther = common == 0 && has(domains_[gradient], PlacementCodes::kOther);
  const Domain now = isOther ? allowed : common;
  if (now == 0 || now == domains_[gradient]) return;
  domains_[gradient] = now;
  if (evidence_[gradient].kind <= EvidenceKind::Rule) {
    evidence_[gradient] = {EvidenceKind::Rule, graph_.variables[gradient].event};
  }
  enqueueAround(gradient);
}

const Relation& PlacementSolver::relationOf(std::size_t operation) {
  const auto& op = graph_.operations[operation];
  if (!op.call->collective.empty()) return collectives_[operation];
  return relations_.of(graph_, op);
}

bool PlacementSolver::revise(std::size_t operation) {
  const auto& op = graph_.operations[operation];
  if (op.sent && traffic_.containsMessages()) return reviseMessage(operation);
  const Relation& relation = relationOf(operation);
  if (!relation.isKnown) return true;
  const auto left = reviseOperation(graph_, operation, relation, traffic_, domains_, codes_);
  if (left.kind == Revision::Kind::Nothing) return true;
  if (left.kind == Revision::Kind::Conflicts) {
    conflicts_.push_back({operation, op.outputs.front(), 0, domains_[op.outputs.front()]});
    return false;
  }
  const Evidence evidence{EvidenceKind::Rule, op.event};
  bool agrees = true;
  for (std::size_t i = 0; i < op.inputs.size(); ++i) {
    agrees &= narrow(op.inputs[i], left.inputs[i], operation, evidence);
  }
  for (std::size_t i = 0; i < op.outputs.size(); ++i) {
    agrees &= narrow(op.outputs[i], left.outputs[i], operation, evidence);
  }
  return agrees;
}

// The parts that the ranks of a group received are those that they sent, in another order.
bool PlacementSolver::reviseMessage(std::size_t operation) {
  const auto& op = graph_.operations[operation];
  const auto received = op.outputs.front();
  const Evidence evidence{EvidenceKind::Rule, op.event};
  return narrow(received, domains_[*op.sent], operation, evidence) &&
         narrow(*op.sent, domains_[received], operation, evidence);
}

// Returns true for values of each rank, as the counts of its tokens, that a collective then moves
// as if they were shards. That is no reason to doubt the facts around them.
bool PlacementSolver::isMovedByRank(const PlacementConflict& conflict) {
  const auto variable = conflict.variable;
  const auto& op = graph_.operations[conflict.operation];
  return op.outputs.size() == 1 && op.outputs.front() == variable && op.call->collective.empty() &&
         relationOf(conflict.operation).isOpen &&
         evidence_[variable].kind == EvidenceKind::Collective &&
         !has(domains_[variable], PlacementCodes::kReplicate);
}

// The assumptions that led to the conflict are not known, so that all that follows from them is
// unknown.
void PlacementSolver::withdraw(const PlacementConflict& conflict) {
  isOff_[conflict.operation] = true;
  if (isMovedByRank(conflict)) {
    isUnknown_[conflict.variable] = true;
    return;
  }
  std::vector<std::size_t> open;
  std::vector<bool> isSeen(graph_.variables.size());
  const auto visit = [&](std::size_t variable) {
    const auto kind = evidence_[variable].kind;
    if (isSeen[variable] || kind >= EvidenceKind::Collective) return;
    isSeen[variable] = true;
    // Equal values show that a tensor is whole, unless that leads to a reduction of whole values.
    if (kind == EvidenceKind::EqualValues && conflict.found != kWhole) return;
    isUnknown_[variable] = true;
    if (kind != EvidenceKind::EqualValues) open.push_back(variable);
  };
  isContradicted_[conflict.variable] = true;
  const auto& op = graph_.operations[conflict.operation];
  for (const auto variable : op.inputs) visit(variable);
  for (const auto variable : op.outputs) visit(variable);
  while (!open.empty()) {
    const auto variable = open.back();
    open.pop_back();
    for (const auto user : users_[variable]) {
      for (const auto other : graph_.operations[user].inputs) visit(other);
      for (const auto other : graph_.operations[user].outputs) visit(other);
    }
  }
}

}  // namespace shardlens
