#pragma once

#include "core/inference/axes.h"
#include "core/inference/domain.h"
#include "core/inference/graph.h"
#include "core/inference/relations.h"
#include "core/inference/traffic.h"

#include <cstddef>
#include <deque>
#include <vector>

namespace shardlens {

// The kind of evidence for a domain, ascending by weight. A conflict never withdraws a Claim or a
// Collective.
enum class EvidenceKind { None, DifferentValues, Rule, EqualValues, Collective, Claim };
struct Evidence {
  EvidenceKind kind = EvidenceKind::None;
  EventId event = 0;  // the operator, collective or Result that shows it
  bool operator==(const Evidence&) const = default;
};

// An operation that allows none of the placements that the other facts allow for a variable.
struct PlacementConflict {
  std::size_t operation = 0;
  std::size_t variable = 0;
  Domain expected = 0;  // what the operation requires
  Domain found = 0;
};

// Finds the placements of all variables of a graph along one axis: starts from facts, and removes
// placements that no row of an operator's relation has. Where an operator leaves none, the
// variables around it become unknown, up to those that a collective fixes.
class PlacementSolver {
 public:
  // The arguments must outlive the solver.
  PlacementSolver(const PlainGraph& graph, const RankAxis& axis, PlacementCodes& codes,
                  Relations& relations);

  // Adds a fact before solve(): the variable has one of these placements.
  void restrict(std::size_t variable, Domain domain, Evidence evidence);
  // States before solve() that facts about the variable do not agree: its placement stays unknown.
  void contradict(std::size_t variable);
  // Ignores an operation. Call it before solve().
  void exclude(std::size_t operation) { isOff_[operation] = true; }
  void solve();

  Domain of(std::size_t variable) const { return domains_[variable]; }
  const Evidence& evidenceOf(std::size_t variable) const { return evidence_[variable]; }
  // Returns true if the facts about the variable do not agree.
  bool isContradicted(std::size_t variable) const { return isContradicted_[variable]; }
  const std::vector<PlacementConflict>& conflicts() const { return conflicts_; }

 private:
  void begin();
  void addLeaves();
  void addCollective(std::size_t operation);
  bool revise(std::size_t operation);
  bool reviseMessage(std::size_t operation);
  void reviseGradient(std::size_t pair);
  bool narrow(std::size_t variable, Domain domain, std::size_t operation, Evidence evidence);
  void fact(std::size_t operation, std::size_t variable, Domain domain);
  void enqueueAround(std::size_t variable);
  void run();
  bool isMovedByRank(const PlacementConflict& conflict);
  void withdraw(const PlacementConflict& conflict);
  const Relation& relationOf(std::size_t operation);

  struct Fact {
    std::size_t variable;
    Domain domain;
    Evidence evidence;
  };

  const PlainGraph& graph_;
  const RankAxis& axis_;
  PlacementCodes& codes_;
  Relations& relations_;
  AxisTraffic traffic_;
  std::vector<Fact> facts_;
  std::vector<std::vector<std::size_t>> users_;  // operations of a variable
  std::vector<std::vector<std::size_t>> pairs_;  // of PlainGraph::gradients, by variable
  std::vector<Relation> collectives_;            // by operation; empty for other operators
  std::vector<bool> isOff_;                      // operations that conflict
  std::vector<bool> isUnknown_;
  std::vector<bool> isContradicted_;
  std::vector<Domain> domains_;
  std::vector<Evidence> evidence_;
  std::deque<std::size_t> queue_;
  std::vector<bool> isQueued_;
  std::vector<PlacementConflict> conflicts_;
};

}  // namespace shardlens
